import boto3

client = boto3.client("sagemaker")
IMAGE = "763104351884.dkr.ecr.us-west-2.amazonaws.com/pytorch-training:1.12.0-gpu-py38"


def start(image, parameters, machine, request):
    client.create_training_job(
        AlgorithmSpecification={"TrainingImage": image, "TrainingInputMode": "File"},
        HyperParameters={"sagemaker_program": "train.py"},
        ResourceConfig={"InstanceType": "ml.p3.2xlarge", "InstanceCount": 1},
    )
    client.create_training_job(
        AlgorithmSpecification={"TrainingImage": IMAGE, "TrainingInputMode": "File"},
        HyperParameters=parameters,
        ResourceConfig={"InstanceType": "ml.p3.2xlarge", "InstanceCount": 1},
    )
    client.create_training_job(
        AlgorithmSpecification={"TrainingImage": IMAGE, "TrainingInputMode": "File"},
        HyperParameters={"sagemaker_program": "train.py"},
        ResourceConfig={"InstanceType": machine, "InstanceCount": 1},
    )
    client.create_training_job(**request)
