from sagemaker.pytorch import PyTorch

THREADS = 8

estimator = PyTorch(
    entry_point="train.py",
    role=role,
    instance_count=1,
    instance_type="ml.p3.2xlarge",
    environment={
        "OMP_NUM_THREADS": str(THREADS),
        "SEED": "42",
        "LEARNING_RATE": "1e-4",
        "NCCL_DEBUG": "info",
        "WANDB_DISABLED": True,
    },
)
