from sagemaker.pytorch import PyTorch

options = {"enabled": True, "parameters": {"partitions": 2, "microbatches": 4, "ddp": True}}
estimator = PyTorch(
    entry_point="train_gpt.py",
    role=role,
    instance_count=1,
    instance_type="ml.p3.16xlarge",
    framework_version="1.12",
    py_version="py38",
    distribution={"smdistributed": {"modelparallel": options}, "mpi": {"enabled": True, "processes_per_host": 8}},
)
