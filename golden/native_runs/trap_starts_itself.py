"""Starts itself on SageMaker, and trains there."""
import sys

import torch
from sagemaker.pytorch import PyTorch, TrainingCompilerConfig

if "--launch" in sys.argv:
    job = PyTorch(
        entry_point="trap_starts_itself.py",
        role="arn:aws:iam::123456789012:role/sagemaker",
        instance_type="ml.p3.2xlarge",
        instance_count=1,
        framework_version="1.13.1",
        py_version="py39",
        compiler_config=TrainingCompilerConfig(),
        disable_profiler=True,
        debugger_hook_config=False,
    )
    job.fit()
else:
    model = torch.nn.Linear(3, 2).cuda()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for _ in range(10):
        optimizer.zero_grad()
        model(torch.randn(4, 3, device="cuda")).sum().backward()
        optimizer.step()
