from sagemaker.pytorch import PyTorch

SETTINGS = {
    "role": role,
    "instance_count": 1,
    "instance_type": "ml.p3.2xlarge",
    "framework_version": "1.13.1",
    "py_version": "py39",  # 3.9
    # kept for an hour
    "keep_alive_period_in_seconds": 3600,
}
LISTED = {"role": role, "instance_count": 1, "framework_version": "1.13.1", "py_version": "py39"}
PRINTED = dict(LISTED, instance_type="ml.g5.xlarge")
print(PRINTED)

first = PyTorch(entry_point="first.py", **SETTINGS)
second = PyTorch(entry_point="second.py", **SETTINGS)
third = PyTorch(entry_point="third.py", **PRINTED)
fourth = PyTorch(entry_point="fourth.py", instance_type="ml.g4dn.xlarge", **LISTED)
