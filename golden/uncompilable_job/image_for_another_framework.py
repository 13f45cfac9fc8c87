from sagemaker.estimator import Estimator
from sagemaker.pytorch import PyTorch

IMAGE = "763104351884.dkr.ecr.us-west-2.amazonaws.com/tensorflow-training:2.11-gpu-py39"
wrong = PyTorch(entry_point="train.py", role=role, instance_count=1, instance_type="ml.p3.2xlarge", image_uri=IMAGE)
generic = Estimator(
    "111122223333.dkr.ecr.us-west-2.amazonaws.com/our-pytorch:7",
    role,
    instance_count=1,
    instance_type="ml.p3.2xlarge",
)
trees = Estimator(
    image_uri="683313688378.dkr.ecr.us-east-1.amazonaws.com/sagemaker-xgboost:1.7-1",
    role=role,
    instance_count=1,
    instance_type="ml.m5.xlarge",
)
