import boto3

boto3.client("sagemaker").create_training_job(
    TrainingJobName="bert",
    AlgorithmSpecification={
        "TrainingImage": "763104351884.dkr.ecr.us-west-2.amazonaws.com/pytorch-trcomp-training:1.13.1-gpu-py39",
        "TrainingInputMode": "File",
    },
    HyperParameters={
        "sagemaker_program": "train.py",
        "sagemaker_training_compiler_enabled": "true",
        "sagemaker_training_compiler_debug_mode": "false",
    },
    ResourceConfig={"InstanceType": "ml.p3.2xlarge", "InstanceCount": 1},
    ProfilerConfig={"DisableProfiler": True},
)
