import boto3

client = boto3.client("sagemaker")
parameters = {"sagemaker_program": "train.py"}
resources = {"InstanceType": "ml.p3.2xlarge", "InstanceCount": 1}
client.create_training_job(
    AlgorithmSpecification={"TrainingImage": "763104351884.dkr.ecr.us-west-2.amazonaws.com/pytorch-training:1.12"},
    HyperParameters=parameters,
    ResourceConfig=resources,
)
client.create_training_job(
    AlgorithmSpecification={"TrainingImage": "123456789012.dkr.ecr.us-west-2.amazonaws.com/tensorflow-training:2"},
    HyperParameters=parameters,
    ResourceConfig=resources,
)
