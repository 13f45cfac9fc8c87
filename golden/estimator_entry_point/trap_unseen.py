from sagemaker.huggingface import HuggingFace
from sagemaker.pytorch import PyTorch


def launch(entry_point, hyperparameters):
    old = HuggingFace(entry_point=entry_point, role=role, instance_count=1, instance_type="ml.p3.8xlarge",
                      transformers_version="4.17.0", pytorch_version="1.10.2", py_version="py38")
    given = HuggingFace(entry_point="train.py", role=role, instance_count=1, instance_type="ml.p3.8xlarge",
                        transformers_version="4.17.0", pytorch_version="1.10.2", py_version="py38",
                        hyperparameters=hyperparameters)
    new = PyTorch(entry_point="start.py", role=role, instance_count=1, instance_type="ml.p3.8xlarge",
                  framework_version="1.13.1", py_version="py39", hyperparameters=hyperparameters)
    return old, given, new
