import os

from sagemaker.huggingface import HuggingFace
from sagemaker.pytorch import PyTorch

VERSION = "1.12"


def launch(py_version, **more):
    print("torch", VERSION)
    known = PyTorch(entry_point="train.py", role=role, framework_version="1.13.1", py_version="py39",
                    instance_type="ml.p3.2xlarge", instance_count=1)
    parameter = PyTorch(entry_point="train.py", framework_version="1.12", py_version=py_version, instance_count=1)
    environment = PyTorch(entry_point="train.py", framework_version=os.environ["TORCH"], py_version="py39",
                          instance_count=1)
    hidden = PyTorch(entry_point="train.py", **more)
    image = HuggingFace(entry_point="train.py", image_uri=os.environ["IMAGE"], py_version="py38", instance_count=1)
    return known, parameter, environment, hidden, image


unknown = HuggingFace(entry_point="train.py", role=role, instance_count=1, instance_type="ml.p3.2xlarge",
                      transformers_version="4.26", pytorch_version=pytorch_version, py_version="py38")
