from sagemaker.pytorch import PyTorch, TrainingCompilerConfig


settings = {
    "role": role,
    "framework_version": "1.13.1",
    "py_version": "py39",
    "compiler_config": TrainingCompilerConfig(),
    "distribution": {"torch_distributed": {"enabled": True}},
}
large = PyTorch(entry_point="train.py", instance_type="ml.p4d.24xlarge", instance_count=1, **settings)
small = PyTorch(entry_point="train.py", instance_type="ml.g4dn.xlarge", instance_count=1, **settings)
