from sagemaker.instance_group import InstanceGroup
from sagemaker.pytorch import PyTorch

workers = InstanceGroup("workers", "ml.p3.8xlarge", 2)

estimator = PyTorch(
    entry_point="train.py",
    role=role,
    instance_groups=[workers],
    framework_version="1.13.1",
    py_version="py39",
)
inline = PyTorch(
    entry_point="train.py",
    role=role,
    instance_groups=[InstanceGroup(instance_group_name="all", instance_type="ml.p3.2xlarge", instance_count=1)],
    framework_version="1.13.1",
    py_version="py39",
)
