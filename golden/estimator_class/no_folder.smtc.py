from sagemaker.pytorch import PyTorch

# Nothing but the entry point gets into the job.
alone = PyTorch(
    entry_point="train.py",
    role=role,
    instance_type="ml.p3.2xlarge",
    instance_count=1,
    framework_version="1.13.1",
    py_version="py39",
)
# Here the list does.
listed = PyTorch(
    entry_point="train.py",
    dependencies=["requirements.txt"],
    role=role,
    instance_type="ml.p3.2xlarge",
    instance_count=1,
    framework_version="1.13.1",
    py_version="py39",
)
