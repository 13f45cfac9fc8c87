import sagemaker
from sagemaker.pytorch import PyTorch

image = "111122223333.dkr.ecr.us-west-2.amazonaws.com/research-pytorch:12"
estimator = PyTorch(entry_point="train.py", role=role, image_uri=image, instance_count=1, instance_type="ml.p3.2xlarge")
estimator.fit("s3://corpora/train")
