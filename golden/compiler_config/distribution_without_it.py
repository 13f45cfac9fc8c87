from sagemaker.pytorch import PyTorch

estimator = PyTorch(
    entry_point="train.py",
    role=role,
    instance_count=1,
    instance_type="ml.p3.8xlarge",
    framework_version="1.13.1",
    py_version="py39",
    compiler_config=None,
    distribution={"pytorchxla": {"enabled": True}},
)
