import os

import sagemaker
from sagemaker.pytorch import PyTorch, TrainingCompilerConfig

role = sagemaker.get_execution_role()
bucket = sagemaker.Session().default_bucket()

instance_type = "ml.p4d.24xlarge"
instance_count = 2
distribution = {"pytorchxla": {"enabled": True}}

estimator = PyTorch(
    base_job_name="resnet-ddp",
    source_dir="code",
    entry_point="train_resnet.py",
    role=role,
    framework_version="1.13.1",
    py_version="py39",
    compiler_config=TrainingCompilerConfig(),
    instance_count=instance_count,
    instance_type=instance_type,
    output_path=os.path.join("s3://", bucket, "output"),
    # one process for each GPU
    distribution=distribution,
    debugger_hook_config=False,
    disable_profiler=True,
)
estimator.fit(f"s3://{bucket}/imagenet")
