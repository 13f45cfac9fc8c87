from sagemaker.pytorch import PyTorch, TrainingCompilerConfig

quiet = {"disable_profiler": True}
quiet["debugger_hook_config"] = False
estimator = PyTorch(
    entry_point="train.py",
    role=role,
    instance_count=1,
    instance_type="ml.p3.2xlarge",
    framework_version="1.13.1",
    py_version="py39",
    compiler_config=TrainingCompilerConfig(),
    **quiet,
)
