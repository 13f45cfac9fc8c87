import boto3

client = boto3.client("sagemaker")
image = "763104351884.dkr.ecr.us-west-2.amazonaws.com/pytorch-training:1.12.0-cpu-py38"
parameters = {"sagemaker_program": "train.py"}
client.create_training_job(
    AlgorithmSpecification={"TrainingImage": image, "TrainingInputMode": "File"},
    HyperParameters=parameters,
    ResourceConfig={"InstanceType": "ml.c5.2xlarge", "InstanceCount": 1},
)
client.create_training_job(
    AlgorithmSpecification={
        "TrainingImage": "763104351884.dkr.ecr.us-west-2.amazonaws.com/pytorch-training:2.0.1-gpu-py310",
        "TrainingInputMode": "File",
    },
    HyperParameters={"sagemaker_program": "train.py"},
    ResourceConfig={"InstanceType": "ml.p5.48xlarge", "InstanceCount": 1},
)
client.create_training_job(
    AlgorithmSpecification={
        "TrainingImage": "727897471807.dkr.ecr.cn-north-1.amazonaws.com.cn/pytorch-training:1.12.0-gpu-py38",
        "TrainingInputMode": "File",
    },
    HyperParameters={"sagemaker_program": "train.py"},
    ResourceConfig={"InstanceType": "ml.p3.2xlarge", "InstanceCount": 1},
)
