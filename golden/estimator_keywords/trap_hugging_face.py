from sagemaker.huggingface import HuggingFace

job = HuggingFace(entry_point="train.py", role=role, instance_type="ml.p3.2xlarge", instance_count=1,
                  transformers_version="4.21", pytorch_version="1.11", py_version="py38", tensorflow_version=None,
                  environment={"A": "1"}, training_plan=None, keep_alive_period_in_seconds=600)
