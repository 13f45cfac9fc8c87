from sagemaker.pytorch import PyTorch, TrainingCompilerConfig

job = PyTorch(
    "train.py",
    role=role,
    instance_count=1,
    instance_type="ml.p3.2xlarge",
    compiler_config=TrainingCompilerConfig(),
    disable_profiler=True,
    debugger_hook_config=False,
)
