from sagemaker.pytorch import PyTorch, TrainingCompilerConfig

common = dict(
    role=role,
    instance_count=1,
    framework_version="1.13.1",
    py_version="py39",
)
small = {**common, "instance_type": "ml.g4dn.xlarge"}

estimator = PyTorch(entry_point="train.py", compiler_config=TrainingCompilerConfig(), **small)
large = PyTorch(
    entry_point="train.py",
    instance_type="ml.p3.2xlarge",
    compiler_config=TrainingCompilerConfig(),
    **common,
)
