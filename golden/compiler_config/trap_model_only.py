"""Deploys; nothing is trained here."""
from sagemaker.pytorch import PyTorchModel
from sagemaker.pytorch.processing import PyTorchProcessor

model = PyTorchModel(model_data="s3://models/model.tar.gz", role=role, entry_point="inference.py",
                     framework_version="1.12", py_version="py38")
processor = PyTorchProcessor(framework_version="1.12", py_version="py38", role=role, instance_count=1,
                             instance_type="ml.m5.xlarge")
