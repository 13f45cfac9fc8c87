from sagemaker.pytorch import PyTorch

only = PyTorch(
    entry_point="train.py",
    instance_count=1,
    instance_type="ml.p3.8xlarge",
    role=role,
)
more = PyTorch(
    entry_point="train.py",
    instance_count=2,
    instance_type="ml.p3.2xlarge",
    environment={"NCCL_DEBUG": "info"},
    role=role,
)
environment = {"NCCL_DEBUG": "info"}
variable = PyTorch(entry_point="train.py", instance_count=1, instance_type="ml.p3.16xlarge", environment=environment)
