"""Starts a job, and tries its model here."""
import torch
from sagemaker.pytorch import PyTorch, TrainingCompilerConfig

job = PyTorch(
    entry_point="train.py",
    role=role,
    instance_type="ml.p3.2xlarge",
    instance_count=1,
    framework_version="1.13.1",
    py_version="py39",
    compiler_config=TrainingCompilerConfig(),
    disable_profiler=True,
    debugger_hook_config=False,
)
job.fit()

model = torch.nn.Linear(3, 2).cuda()
print(model(torch.zeros(1, 3).cuda()))
