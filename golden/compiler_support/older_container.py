import boto3
import sagemaker
from sagemaker.huggingface import HuggingFace

# Regions of the container with torch 1.10, of which that with 1.13 has fewer.
session = sagemaker.Session(boto3.session.Session(region_name="ap-southeast-3"))
job = HuggingFace(entry_point="train.py", role=role, transformers_version="4.17", pytorch_version="1.10",
                  py_version="py38", instance_type="ml.p3.2xlarge", instance_count=1, sagemaker_session=session)
