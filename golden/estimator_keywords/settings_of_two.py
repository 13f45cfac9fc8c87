from sagemaker.pytorch import PyTorch

common = dict(role=role, instance_type="ml.p3.2xlarge", instance_count=1, py_version="py39", hyper_parameters={"a": 1})
common["framework_verison"] = "1.13.1"

first = PyTorch(entry_point="train.py", **common)
second = PyTorch(entry_point="train.py", distributions={"mpi": {"enabled": True}}, **common)
