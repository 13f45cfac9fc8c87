from sagemaker.pytorch import PyTorch, TrainingCompilerConfig

xla = {"pytorchxla": {"enabled": True}}
estimator = PyTorch(
    entry_point="train.py",
    role=role,
    instance_count=1,
    instance_type="ml.p3.2xlarge",
    framework_version="1.13.1",
    py_version="py39",
    compiler_config=TrainingCompilerConfig(),
    distribution=xla,
    disable_profiler=True,
    debugger_hook_config=False,
)
torchrun = PyTorch(
    entry_point="train.py",
    role=role,
    instance_count=1,
    instance_type="ml.p3.2xlarge",
    framework_version="1.13.1",
    py_version="py39",
    compiler_config=TrainingCompilerConfig(),
    distribution={"torch_distributed": {"enabled": True}},
    disable_profiler=True,
    debugger_hook_config=False,
)
