import sys

from sagemaker.pytorch import PyTorch, TrainingCompilerConfig

distribution = {"smdistributed": {"dataparallel": {"enabled": True}}}
distribution["smdistributed"]["dataparallel"]["enabled"] = "--one" not in sys.argv
estimator = PyTorch(
    entry_point="train.py",
    role=role,
    instance_count=1,
    instance_type="ml.p3.16xlarge",
    framework_version="1.13.1",
    py_version="py39",
    compiler_config=TrainingCompilerConfig(),
    distribution=distribution,
)
