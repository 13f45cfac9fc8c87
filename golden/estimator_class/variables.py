from sagemaker.huggingface.estimator import HuggingFace

transformers_version = "4.26"
pytorch_version = "1.13"

estimator = HuggingFace(entry_point="train.py", role=role, instance_count=1, instance_type="ml.p3.2xlarge",
                        transformers_version=transformers_version, pytorch_version=pytorch_version)
