"""Starts scripts/train.py on eight GPUs: what is wrong shows only with both files in sight."""
from sagemaker.pytorch import PyTorch, TrainingCompilerConfig

hyperparameters = {
    "epochs": 3,
    "batch_size": 32,
    "fp16": True,
    "resume": False,
    "shuffle": True,
    "lr": 0.1,
    "n_gpus": 8,
}

estimator = PyTorch(
    entry_point="train.py",
    source_dir="scripts",
    instance_type="ml.p3.16xlarge",
    instance_count=1,
    framework_version="1.13.1",
    py_version="py39",
    role="arn:aws:iam::123456789012:role/x",
    hyperparameters=hyperparameters,
    compiler_config=TrainingCompilerConfig(),
    distribution={"pytorchxla": {"enabled": True}},
    disable_profiler=True,
    debugger_hook_config=False,
)
estimator.fit()
