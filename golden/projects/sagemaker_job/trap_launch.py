"""Nothing is wrong: every option is there, and reads its truth value."""
from sagemaker.pytorch import PyTorch, TrainingCompilerConfig

estimator = PyTorch(
    entry_point="train.py",
    source_dir="scripts",
    instance_type="ml.p3.2xlarge",
    instance_count=1,
    framework_version="1.13.1",
    py_version="py39",
    role="arn:aws:iam::123456789012:role/x",
    hyperparameters={"epochs": 3, "batch-size": 32, "shuffle": False, "resume": True},
    compiler_config=TrainingCompilerConfig(),
    disable_profiler=True,
    debugger_hook_config=False,
)
