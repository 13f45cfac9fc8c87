from sagemaker.pytorch import PyTorch

image_uri = "111122223333.dkr.ecr.us-west-2.amazonaws.com/our-pytorch:7"
estimator = PyTorch(
    entry_point="train.py", role=role, instance_count=1, instance_type="ml.p3.2xlarge",
    image_uri=image_uri, framework_version="1.13.1", py_version="py39",
)
