"""The training script is not among the files: nothing is known of it."""
from sagemaker.pytorch import PyTorch, TrainingCompilerConfig

estimator = PyTorch(
    entry_point="train.py",
    hyperparameters={"fp16": True},
    instance_type="ml.p3.16xlarge",
    instance_count=2,
    compiler_config=TrainingCompilerConfig(),
)
