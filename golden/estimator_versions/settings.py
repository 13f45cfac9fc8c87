from sagemaker.pytorch import PyTorch

VERSION = "1.11.0"
common = dict(role=role, instance_count=1, framework_version=VERSION)
common["py_version"] = "py38"

small = PyTorch(entry_point="train.py", instance_type="ml.p3.2xlarge", **common)
large = PyTorch(entry_point="train.py", instance_type="ml.g4dn.xlarge", **common)
