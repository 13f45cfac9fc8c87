from sagemaker.pytorch import PyTorch

settings = {"role": role, "image_uri": "111122223333.dkr.ecr.us-west-2.amazonaws.com/our-pytorch:7"}
prepare = PyTorch(entry_point="prepare.py", instance_type="ml.m5.xlarge", instance_count=1, **settings)
train = PyTorch(
    entry_point="train.py",
    instance_type="ml.p3.2xlarge",
    instance_count=1,
    framework_version="1.13.1",
    py_version="py39",
    **settings,
)
