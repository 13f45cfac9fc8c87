from sagemaker.huggingface import HuggingFace
from sagemaker.pytorch import PyTorch
from sagemaker.tensorflow import TensorFlow

container = PyTorch(entry_point="train.py", framework_version="1.13.1", py_version="py39", instance_count=1,
                    instance_type="ml.p3.2xlarge")
short = PyTorch(entry_point="train.py", framework_version="1.13", py_version="py39", instance_count=1,
                instance_type="ml.p3.2xlarge")
transformers = HuggingFace(entry_point="train.py", transformers_version="4.21", pytorch_version="1.11",
                           py_version="py38", instance_count=1, instance_type="ml.p3.2xlarge")
tensorflow = HuggingFace(entry_point="train.py", transformers_version="4.17", tensorflow_version="2.6",
                         py_version="py38", instance_count=1, instance_type="ml.p3.2xlarge")
other = TensorFlow(entry_point="train.py", framework_version="2.9", py_version="py39", instance_count=1,
                   instance_type="ml.p3.2xlarge")
on_cpu = PyTorch(entry_point="train.py", framework_version="1.8", py_version="py3", instance_count=1,
                 instance_type="ml.m5.xlarge")
