from sagemaker.pytorch import PyTorch

estimator = PyTorch(
    entry_point="train.py",
    role=role,
    framework_version="1.13.1",
    py_version="py39",  # 3.9
    # more machines for the large corpus
    instance_count=1,
    instance_type="ml.p3.2xlarge",
)
