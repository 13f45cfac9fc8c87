from sagemaker.instance_group import InstanceGroup
from sagemaker.pytorch import PyTorch

mixed = True
settings = {}
if mixed:
    settings["instance_groups"] = [InstanceGroup("data", "ml.c5.4xlarge", 2), InstanceGroup("dnn", "ml.p3.8xlarge", 1)]
else:
    settings["instance_type"] = "ml.p3.8xlarge"
    settings["instance_count"] = 1
estimator = PyTorch(entry_point="train.py", role=role, framework_version="1.13.1", py_version="py39", **settings)
