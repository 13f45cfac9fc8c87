from sagemaker.huggingface import HuggingFace
from sagemaker.pytorch import PyTorch

settings = {"instance_cout": 1, "hyperparameter": {"epochs": 3}}

estimator = PyTorch(entry_point="train.py", enviroment={"NCCL_DEBUG": "info"}, **settings)
again = PyTorch(entry_point="train.py", env={"NCCL_DEBUG": "info"}, **settings)
other = HuggingFace(entry_point="train.py", framework_version="1.13.1", py_version="py39", wings=2)
