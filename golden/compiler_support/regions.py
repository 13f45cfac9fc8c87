import os

import boto3
import sagemaker
from sagemaker.huggingface import HuggingFace
from sagemaker.pytorch import PyTorch

os.environ["AWS_DEFAULT_REGION"] = "us-gov-west-1"
region = "ap-southeast-3"
session = sagemaker.Session(boto3.Session(region_name=region))
client = boto3.client("s3", "eu-central-2")
fine = boto3.client("s3", region_name="us-east-1")

job = PyTorch(entry_point="train.py", sagemaker_session=session, instance_type="ml.p3.2xlarge", instance_count=1)
older = HuggingFace(entry_point="train.py", transformers_version="4.11", pytorch_version="1.9", py_version="py38",
                    instance_type="ml.p3.2xlarge", instance_count=1)
