"""Starts a script that starts a process for each GPU by itself."""
from sagemaker.pytorch import PyTorch, TrainingCompilerConfig

estimator = PyTorch(
    entry_point="code/starter.py",
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
