"""Trains on SageMaker, and looks at the model on the GPU of this computer."""
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

model = torch.load("model.pt").cuda().eval()
print(model(torch.zeros(1, 16).cuda()))
