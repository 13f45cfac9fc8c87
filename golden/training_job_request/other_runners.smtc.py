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
        "epochs": "3",
        "sagemaker_training_compiler_enabled": "true",
        "sagemaker_training_compiler_debug_mode": "false",
        "sagemaker_pytorch_xla_multi_worker_enabled": "true",
    },
    Environment={"OMP_NUM_THREADS": "8"},
    ResourceConfig={"InstanceType": "ml.p4d.24xlarge", "InstanceCount": 2, "VolumeSizeInGB": 30},
    RoleArn=role,
    ProfilerConfig={"DisableProfiler": True},
)
client.create_training_job(
    TrainingJobName="resnet",
    AlgorithmSpecification={
        "TrainingImage": "763104351884.dkr.ecr.us-west-2.amazonaws.com/pytorch-trcomp-training:1.13.1-gpu-py39",
        "TrainingInputMode": "File",
    },
    HyperParameters=dict(
        sagemaker_program="train.py",
        sagemaker_training_compiler_enabled="true",
        sagemaker_training_compiler_debug_mode="false",
    ),
    Environment={"GPU_NUM_DEVICES": "1"},
    ResourceConfig={"InstanceType": "ml.p3.2xlarge", "InstanceCount": 1},
    ProfilerConfig={"DisableProfiler": True},
)
