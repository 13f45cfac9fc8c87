import boto3

boto3.client("sagemaker").create_training_job(
    TrainingJobName="roberta",
    AlgorithmSpecification={
        "TrainingImage": "763104351884.dkr.ecr.us-east-1.amazonaws.com/huggingface-pytorch-training:1.11.0-transformers4.21.1-gpu-py38-cu113-ubuntu20.04",
        "TrainingInputMode": "File",
    },
    HyperParameters={"sagemaker_program": "train.py"},
    ResourceConfig={"InstanceType": "ml.p3.2xlarge", "InstanceCount": 2},
)
