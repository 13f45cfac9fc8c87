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
        "sagemaker_distributed_dataparallel_enabled": "true",
        "sagemaker_distributed_dataparallel_custom_mpi_options": '""',
        "sagemaker_instance_type": '"ml.p4d.24xlarge"',
        "epochs": "3",
    },
    Environment={"GPU_NUM_DEVICES": "4", "OMP_NUM_THREADS": "8"},
    ResourceConfig={"InstanceType": "ml.p4d.24xlarge", "InstanceCount": 2, "VolumeSizeInGB": 30},
    RoleArn=role,
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
        sagemaker_mpi_enabled="true",
        sagemaker_pytorch_xla_multi_worker_enabled="true",
    ),
    Environment={"GPU_NUM_DEVICES": 8},
    ResourceConfig={"InstanceType": "ml.p3.2xlarge", "InstanceCount": 1},
    ProfilerConfig={"DisableProfiler": True},
)
