"""Trains on SageMaker, and looks at the model on the GPU of this computer."""
import torch
import torch_xla
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

device = torch_xla.device()
model = torch.load("model.pt", weights_only=False, map_location="cpu").to(device).eval()
print(model(torch.zeros(1, 16).to(device)))
