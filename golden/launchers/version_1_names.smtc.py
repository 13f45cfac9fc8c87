import sagemaker
from sagemaker.pytorch import PyTorch, TrainingCompilerConfig

role = sagemaker.get_execution_role()

estimator = PyTorch(
    entry_point="train.py",
    source_dir="src",
    role=role,
    instance_count=1,
    instance_type="ml.p3.8xlarge",
    framework_version="1.13.1",
    py_version="py39",
    compiler_config=TrainingCompilerConfig(),
    distribution={"pytorchxla": {"enabled": True}},
    disable_profiler=True,
    debugger_hook_config=False,
    max_run=24 * 60 * 60,
    hyperparameters={"epochs": 20, "batch-size": 256, "lr": 0.1},
    environment={"NCCL_DEBUG": "INFO"},
)
estimator.fit({"training": "s3://bucket/imagenet"})
