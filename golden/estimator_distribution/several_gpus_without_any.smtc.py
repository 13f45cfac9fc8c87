from sagemaker.pytorch import PyTorch, TrainingCompilerConfig

INSTANCE = "ml.g5.12xlarge"

estimator = PyTorch(
    entry_point="train.py",
    role=role,
    instance_count=1,
    instance_type=INSTANCE,
    framework_version="1.13.1",
    py_version="py39",
    compiler_config=TrainingCompilerConfig(),
    distribution={"pytorchxla": {"enabled": True}},
    disable_profiler=True,
    debugger_hook_config=False,
)
four_machines = PyTorch(
    entry_point="train.py",
    role=role,
    instance_count=4,
    instance_type="ml.p3.2xlarge",
    framework_version="1.13.1",
    py_version="py39",
    compiler_config=TrainingCompilerConfig(),
    distribution={"pytorchxla": {"enabled": True}},
    disable_profiler=True,
    debugger_hook_config=False,
)
