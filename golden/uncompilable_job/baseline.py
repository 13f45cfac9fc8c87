"""The same job with the compiler and without, to compare the two."""
from sagemaker.pytorch import PyTorch, TrainingCompilerConfig

shared = dict(
    entry_point="train.py",
    role=role,
    instance_count=1,
    instance_type="ml.p3.2xlarge",
    framework_version="1.13.1",
    py_version="py39",
)
native = PyTorch(**shared)
compiled = PyTorch(
    compiler_config=TrainingCompilerConfig(), disable_profiler=True, debugger_hook_config=False, **shared
)
