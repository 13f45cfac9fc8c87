from sagemaker.pytorch import PyTorch

launcher = "train.py"

estimator = PyTorch(
    entry_point=launcher,
    role=role,
    instance_count=1,
    instance_type="ml.p3.8xlarge",
    framework_version="1.13.1",
    py_version="py39",
)
