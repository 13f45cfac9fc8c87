import boto3

client = boto3.client("sagemaker")
client.create_training_job(
    AlgorithmSpecification={
        "TrainingImage": "763104351884.dkr.ecr.us-west-2.amazonaws.com/tensorflow-training:2.9.1-gpu-py39",
        "TrainingInputMode": "File",
    },
    HyperParameters={"sagemaker_program": "train.py"},
    ResourceConfig={"InstanceType": "ml.p3.2xlarge", "InstanceCount": 1},
)
client.create_training_job(
    AlgorithmSpecification={
        "TrainingImage": "123456789012.dkr.ecr.us-west-2.amazonaws.com/our-trainer:latest",
        "TrainingInputMode": "File",
    },
    HyperParameters={"sagemaker_program": "train.py"},
    ResourceConfig={"InstanceType": "ml.p3.2xlarge", "InstanceCount": 1},
)
