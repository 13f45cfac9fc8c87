from sagemaker.pytorch import PyTorch, TrainingCompilerConfig


instance_count = 4
if instance_count > 1:
    distribution = {"pytorchxla": {"enabled": True}}
else:
    distribution = None
estimator = PyTorch(
    entry_point="train.py",
    role=role,
    instance_count=instance_count,
    instance_type="ml.p3.16xlarge",
    framework_version="1.13.1",
    py_version="py39",
    compiler_config=TrainingCompilerConfig(),
    distribution=distribution,
    disable_profiler=True,
    debugger_hook_config=False,
)
