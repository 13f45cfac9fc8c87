from sagemaker.huggingface import HuggingFace

one = HuggingFace(entry_point="train.py", role=role, instance_count=1, instance_type="ml.p3.2xlarge",
                  transformers_version="4.17.0", pytorch_version="1.10.2", py_version="py38", hyperparameters={"a": 1})
done = HuggingFace(entry_point="start.py", role=role, instance_count=1, instance_type="ml.p3.8xlarge",
                   transformers_version="4.17.0", pytorch_version="1.10.2", py_version="py38",
                   hyperparameters={"training_script": "train.py"})
