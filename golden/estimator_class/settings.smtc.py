from sagemaker.pytorch import PyTorch

VERSIONS = {"framework_version": "1.13.1", "py_version": "py39"}

estimator = PyTorch(entry_point="train.py", role=role, instance_count=1, instance_type="ml.p3.2xlarge", **VERSIONS)
