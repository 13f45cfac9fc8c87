"""Train on SageMaker, and look at the model here."""
import torch
from sagemaker.pytorch import PyTorch

estimator = PyTorch(
    entry_point="train.py",
    role=role,
    instance_count=1,
    instance_type="ml.g5.xlarge",
    framework_version="1.12",
    py_version="py38",
)
estimator.fit("s3://corpora/train")

model = torch.load("model.pt", map_location="cpu")
print(sum(parameter.numel() for parameter in model.parameters()))
