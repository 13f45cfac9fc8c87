from sagemaker.pytorch import PyTorch

common = {"role": role, "instance_count": 1, "max_run": 3600}

estimator = PyTorch(entry_point="train.py", framework_version="1.5.0", instance_type="ml.p3.2xlarge", **common)
other = PyTorch(entry_point="train.py", framework_version="1.5.0", instance_type="ml.p3.8xlarge", **common)
