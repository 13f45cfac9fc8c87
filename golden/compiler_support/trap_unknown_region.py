import os

import boto3
import sagemaker
from sagemaker.pytorch import PyTorch


def launch(region):
    os.environ["AWS_DEFAULT_REGION"] = region
    session = sagemaker.Session(boto3.Session(region_name=os.environ["REGION"]))
    return PyTorch(entry_point="train.py", sagemaker_session=session, instance_type="ml.p3.2xlarge", instance_count=1)
