from sagemaker.pytorch import PyTorch

common = {"role": role, "train_instance_count": 1, "train_max_run": 3600}

estimator = PyTorch(entry_point="train.py", framework_version="1.5.0", train_instance_type="ml.p3.2xlarge", **common)
other = PyTorch(entry_point="train.py", framework_version="1.5.0", train_instance_type="ml.p3.8xlarge", **common)
