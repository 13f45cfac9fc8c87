from sagemaker.pytorch import PyTorch

common = dict(role=role, framework_version="1.13.1", py_version="py39")

slow = PyTorch(entry_point="train.py", instance_type="ml.p3.2xlarge", instance_count=4, **common)
joined = PyTorch(entry_point="train.py", instance_type="ml.p3dn.24xlarge", instance_count=4, **common)
one = PyTorch(entry_point="train.py", instance_type="ml.p3.16xlarge", instance_count=1, **common)
