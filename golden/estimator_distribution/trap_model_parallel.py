from sagemaker.pytorch import PyTorch


estimator = PyTorch(
    entry_point="train.py",
    role=role,
    instance_count=1,
    instance_type="ml.p3.16xlarge",
    framework_version="1.12",
    py_version="py38",
    distribution={"smdistributed": {"modelparallel": {"enabled": True}}, "mpi": {"enabled": True}},
)
