from sagemaker.instance_group import InstanceGroup
from sagemaker.pytorch import PyTorch

gpus = InstanceGroup("gpus", "ml.p3.8xlarge", 1)
cpus = InstanceGroup("cpus", "ml.c5.4xlarge", 2)
estimator = PyTorch(entry_point="train.py", role=role, instance_groups=[gpus, cpus], framework_version="1.13.1",
                py_version="py39")
hidden = PyTorch(entry_point="train.py", role=role, instance_groups=make_groups(), framework_version="1.13.1",
                py_version="py39")
