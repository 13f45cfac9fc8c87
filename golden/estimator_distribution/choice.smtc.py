from sagemaker.pytorch import PyTorch, TrainingCompilerConfig

import sys

count = int(sys.argv[1]) if sys.argv[1:] else 1
estimator = PyTorch(
    entry_point="train.py",
    role=role,
    instance_count=count,
    instance_type="ml.p4d.24xlarge",
    framework_version="1.13.1",
    py_version="py39",
    compiler_config=TrainingCompilerConfig(),
    distribution={"pytorchxla": {"enabled": True}},
    disable_profiler=True,
    debugger_hook_config=False,
)
