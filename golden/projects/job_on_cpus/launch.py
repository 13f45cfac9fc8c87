"""Starts the job on machines without GPUs."""
from sagemaker.pytorch import PyTorch

estimator = PyTorch(
    entry_point="train.py",
    source_dir=".",
    role=role,
    instance_count=1,
    instance_type="ml.c5.2xlarge",
    framework_version="1.13.1",
    py_version="py39",
)
estimator.fit("s3://corpora/train")
