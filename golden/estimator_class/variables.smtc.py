from sagemaker.pytorch import PyTorch

pytorch_version = "1.13.1"

estimator = PyTorch(entry_point="train.py", role=role, instance_count=1, instance_type="ml.p3.2xlarge",
                    framework_version=pytorch_version,
                    py_version="py39")
