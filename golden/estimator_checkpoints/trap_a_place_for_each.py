import time

from sagemaker.pytorch import PyTorch, TrainingCompilerConfig

name = time.strftime("%Y%m%d")
estimator = PyTorch(
    entry_point="train.py",
    role=role,
    instance_count=1,
    instance_type="ml.p3.2xlarge",
    framework_version="1.13.1",
    py_version="py39",
    compiler_config=TrainingCompilerConfig(),
    checkpoint_s3_uri=f"s3://corpora/{name}",
)
