from sagemaker.pytorch import PyTorch, TrainingCompilerConfig

common = dict(role=role, instance_count=1, instance_type="ml.p3.2xlarge", disable_profiler=True)
estimator = PyTorch(
    entry_point="train.py",
    framework_version="1.13.1",
    py_version="py39",
    compiler_config=TrainingCompilerConfig(),
    debugger_hook_config=False,
    **common,
)
second = PyTorch(
    entry_point="train.py",
    framework_version="1.13.1",
    py_version="py39",
    compiler_config=TrainingCompilerConfig(),
    debugger_hook_config=False,
    **common,
)
