import boto3

client = boto3.client("sagemaker")

client.create_training_job(
    TrainingJobName="bert",
    AlgorithmSpecification={
        "TrainingImage": "763104351884.dkr.ecr.us-west-2.amazonaws.com/pytorch-training:1.12.0-gpu-py38-cu113-ubuntu20.04",
        "TrainingInputMode": "File",
    },
    HyperParameters={
        "sagemaker_program": '"train.py"',
        "sagemaker_submit_directory": '"s3://bucket/source.tar.gz"',
    },
    ResourceConfig={"InstanceType": "ml.p3.8xlarge", "InstanceCount": 1, "VolumeSizeInGB": 30},
    RoleArn=role,
)
