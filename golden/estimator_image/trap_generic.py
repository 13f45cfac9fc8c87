from sagemaker.estimator import Estimator

estimator = Estimator(
    image_uri="111122223333.dkr.ecr.us-west-2.amazonaws.com/our-pytorch:7",
    role=role,
    instance_count=1,
    instance_type="ml.p3.2xlarge",
)
