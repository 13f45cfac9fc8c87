from sagemaker.pytorch import PyTorch, TrainingCompilerConfig


distribution = {"smdistributed": {"dataparallel": {"enabled": True}}}
shared = dict(role=role, instance_type="ml.p3.16xlarge", instance_count=1)
baseline = PyTorch(
    entry_point="train_ddp.py", framework_version="1.12", py_version="py38", distribution=distribution, **shared
)
compiled = PyTorch(
    entry_point="train.py",
    framework_version="1.13.1",
    py_version="py39",
    compiler_config=TrainingCompilerConfig(),
    distribution={"pytorchxla": {"enabled": True}},
    **shared,
)
