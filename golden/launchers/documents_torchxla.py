"""As a page of AWS has it, with a distribution that the SDK refuses."""
from sagemaker.pytorch import PyTorch, TrainingCompilerConfig

estimator = PyTorch(
    entry_point="train.py",
    role=role,
    instance_count=1,
    instance_type="ml.p3.8xlarge",
    framework_version="1.12",
    py_version="py3",
    compiler_config=TrainingCompilerConfig(),
    distribution={"torchxla": {"enabled": True}},
    disable_profiler=True,
    debugger_hook_config=False,
)
