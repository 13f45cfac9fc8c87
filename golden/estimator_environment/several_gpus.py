from sagemaker.pytorch import PyTorch

only = PyTorch(
    entry_point="train.py",
    instance_count=1,
    instance_type="ml.p3.8xlarge",
    environment={"GPU_NUM_DEVICES": "4"},
    role=role,
)
more = PyTorch(
    entry_point="train.py",
    instance_count=2,
    instance_type="ml.p3.2xlarge",
    environment={"GPU_NUM_DEVICES": 1, "NCCL_DEBUG": "info"},
    role=role,
)
environment = {"NCCL_DEBUG": "info"}
environment["GPU_NUM_DEVICES"] = "8"
variable = PyTorch(entry_point="train.py", instance_count=1, instance_type="ml.p3.16xlarge", environment=environment)
