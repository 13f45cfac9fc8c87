import boto3

client = boto3.client("sagemaker")

client.create_training_job(
    TrainingJobName="bert",
    AlgorithmSpecification={
        "TrainingImage": "763104351884.dkr.ecr.us-west-2.amazonaws.com/pytorch-trcomp-training:1.13.1-gpu-py39",
        "TrainingInputMode": "File",
    },
    HyperParameters={
        "sagemaker_program": '"train.py"',
        "sagemaker_submit_directory": '"s3://bucket/source.tar.gz"',
        "sagemaker_training_compiler_enabled": "true",
        "sagemaker_training_compiler_debug_mode": "false",
        "sagemaker_pytorch_xla_multi_worker_enabled": "true",
    },
    ResourceConfig={"InstanceType": "ml.p3.8xlarge", "InstanceCount": 1, "VolumeSizeInGB": 30},
    RoleArn=role,
    ProfilerConfig={"DisableProfiler": True},
)
