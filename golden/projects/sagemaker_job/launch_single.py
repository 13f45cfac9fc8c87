"""Starts a script for one process on four GPUs, with and without a value that it knows."""
from sagemaker.pytorch import PyTorch, TrainingCompilerConfig

settings = dict(
    entry_point="single.py",
    source_dir="./code",
    instance_type="ml.p3.8xlarge",
    instance_count=1,
    framework_version="1.13.1",
    py_version="py39",
    role="arn:aws:iam::123456789012:role/x",
    compiler_config=TrainingCompilerConfig(),
    distribution={"pytorchxla": {"enabled": True}},
    disable_profiler=True,
    debugger_hook_config=False,
)
estimator = PyTorch(hyperparameters={"verbose": False, "quiet": True, "rate": 0.5}, **settings)
