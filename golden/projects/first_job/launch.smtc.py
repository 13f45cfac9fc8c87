import sagemaker
from sagemaker.pytorch import PyTorch, TrainingCompilerConfig

estimator = PyTorch(
    entry_point="train.py",
    source_dir="src",
    role=sagemaker.get_execution_role(),
    instance_count=2,
    instance_type="ml.p4d.24xlarge",
    framework_version="1.13.1",
    py_version="py39",
    compiler_config=TrainingCompilerConfig(),
    distribution={"pytorchxla": {"enabled": True}},
    disable_profiler=True,
    debugger_hook_config=False,
    hyperparameters={"epochs": 90, "batch-size": 256, "fp16": True},
)
estimator.fit("s3://corpora/train")
