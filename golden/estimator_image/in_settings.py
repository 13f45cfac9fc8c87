from sagemaker.pytorch import PyTorch

settings = {
    "role": role,
    "image_uri": "111122223333.dkr.ecr.us-west-2.amazonaws.com/our-pytorch:7",  # ours
    "instance_count": 1,
    "framework_version": "1.13.1",
    "py_version": "py39",
}
estimator = PyTorch(entry_point="train.py", instance_type="ml.p3.2xlarge", **settings)
second = PyTorch(entry_point="train.py", instance_type="ml.g5.xlarge", **settings)
