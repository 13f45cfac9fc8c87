import sagemaker
from sagemaker.pytorch import PyTorch

estimator = PyTorch(
    entry_point="train.py",
    source_dir="src",
    role=sagemaker.get_execution_role(),
    instance_count=2,
    instance_type="ml.p4d.24xlarge",
    framework_version="1.12",
    py_version="py38",
    distribution={"torch_distributed": {"enabled": True}},
    hyperparameters={"epochs": 90, "batch-size": 256, "fp16": True},
)
estimator.fit("s3://corpora/train")
