"""Trains on SageMaker, and looks at the model on the GPU of this computer."""
import torch
from sagemaker.pytorch import PyTorch, TrainingCompilerConfig

estimator = PyTorch(
    entry_point="train.py",
    role=role,
    instance_count=1,
    instance_type="ml.g5.xlarge",
    framework_version="1.13.1",
    py_version="py39",
    compiler_config=TrainingCompilerConfig(),
    disable_profiler=True,
    debugger_hook_config=False,
)
estimator.fit("s3://corpora/train")

model = torch.load("model.pt").cuda().eval()
print(model(torch.zeros(1, 16).cuda()))
