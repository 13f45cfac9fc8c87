import sagemaker
from sagemaker.pytorch import PyTorch

role = sagemaker.get_execution_role()

estimator = PyTorch(
    entry_point="train.py",
    source_dir="src",
    role=role,
    image_name="763104351884.dkr.ecr.us-west-2.amazonaws.com/pytorch-training:1.5.0-gpu-py36-cu101-ubuntu16.04",
    train_instance_count=1,
    train_instance_type="ml.p3.8xlarge",
    train_max_run=24 * 60 * 60,
    hyperparameters={"epochs": 20, "batch-size": 256, "lr": 0.1},
    environment={"GPU_NUM_DEVICES": 4, "NCCL_DEBUG": "INFO"},
)
estimator.fit({"training": "s3://bucket/imagenet"})
