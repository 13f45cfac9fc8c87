from sagemaker.pytorch import PyTorch, TrainingCompilerConfig

XLA = dict(pytorch_xla=dict(enabled=True))

estimator = PyTorch(
    entry_point="train.py",
    role=role,
    instance_count=1,
    instance_type="ml.p3.8xlarge",
    framework_version="1.13.1",
    py_version="py39",
    compiler_config=TrainingCompilerConfig(),
    distribution=XLA,
    disable_profiler=True,
    debugger_hook_config=False,
)
second = PyTorch(
    entry_point="train.py",
    role=role,
    instance_count=2,
    instance_type="ml.g4dn.12xlarge",
    framework_version="1.13.1",
    py_version="py39",
    compiler_config=TrainingCompilerConfig(),
    distribution=XLA,
    disable_profiler=True,
    debugger_hook_config=False,
)
