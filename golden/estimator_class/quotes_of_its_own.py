"""Versions are written in the quotes that stand there, whatever the rest of the file has."""

import sagemaker
from sagemaker.huggingface import HuggingFace

role, bucket = sagemaker.get_execution_role(), "data"

job = HuggingFace(
    entry_point='train.py',
    instance_type='ml.g5.2xlarge',
    instance_count=1,
    role=role,
    transformers_version='4.26',
    pytorch_version='1.13',
    py_version='py39',
    output_path=f"s3://{bucket}/out",
    code_location="s3://data/code",
    base_job_name="donut",
    tags=[{"Key": "team", "Value": "vision"}, {"Key": "cost", "Value": "7"}],
)
