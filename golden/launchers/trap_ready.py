from sagemaker.pytorch import PyTorch, TrainingCompilerConfig

estimator = PyTorch(
    entry_point="train.py",
    role=role,
    instance_count=2,
    instance_type="ml.p3.16xlarge",
    framework_version="1.13.1",
    py_version="py39",
    compiler_config=TrainingCompilerConfig(),
    distribution={"pytorchxla": {"enabled": True}},
    disable_profiler=True,
    debugger_hook_config=False,
)
