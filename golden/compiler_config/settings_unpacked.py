from sagemaker.pytorch import PyTorch

common = dict(
    role=role,
    instance_count=1,
    framework_version="1.13.1",
    py_version="py39",
)
small = {**common, "instance_type": "ml.g4dn.xlarge"}

estimator = PyTorch(entry_point="train.py", **small)
large = PyTorch(entry_point="train.py", instance_type="ml.p3.2xlarge", **common)
