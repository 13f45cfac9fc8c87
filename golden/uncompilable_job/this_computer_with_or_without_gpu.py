import shutil

from sagemaker.pytorch import PyTorch

instance_type = "local"
if shutil.which("nvidia-smi"):
    instance_type = "local_gpu"
estimator = PyTorch(
    entry_point="train.py",
    role=role,
    instance_count=1,
    instance_type=instance_type,
    framework_version="1.13.1",
    py_version="py39",
)
