from sagemaker.pytorch import PyTorch, TrainingCompilerConfig

settings = {"compiler_config": TrainingCompilerConfig(debug=True), "debugger_hook_config": False}
estimator = PyTorch(
    entry_point="train.py",
    role=role,
    instance_count=1,
    instance_type="ml.p3.2xlarge",
    framework_version="1.13.1",
    py_version="py39",
    disable_profiler=True,
    **settings,
)
