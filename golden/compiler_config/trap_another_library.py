from wings.jobs import PyTorch

estimator = PyTorch(
    entry_point="train.py",
    instance_type="ml.p3.2xlarge",
    framework_version="1.13.1",
    py_version="py39",
)
