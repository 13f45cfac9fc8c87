import boto3

boto3.client("sagemaker").create_training_job(
    TrainingJobName="roberta",
    AlgorithmSpecification={
        "TrainingImage": "763104351884.dkr.ecr.us-east-1.amazonaws.com/huggingface-pytorch-trcomp-training:1.11.0-transformers4.21.1-gpu-py38-cu113-ubuntu20.04",
        "TrainingInputMode": "File",
    },
    HyperParameters={
        "sagemaker_program": "train.py",
        "sagemaker_training_compiler_enabled": "true",
        "sagemaker_training_compiler_debug_mode": "false",
        "sagemaker_pytorch_xla_multi_worker_enabled": "true",
    },
    ResourceConfig={"InstanceType": "ml.p3.2xlarge", "InstanceCount": 2},
    ProfilerConfig={"DisableProfiler": True},
)
