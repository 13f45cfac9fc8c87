"""Trains with the compiler and without it, and serves the model."""
from sagemaker.pytorch import PyTorch, PyTorchModel, TrainingCompilerConfig

common = dict(
    entry_point="train.py",
    source_dir="src",
    role=role,
    instance_count=1,
    instance_type="ml.p3.2xlarge",
    framework_version="1.13.1",
    py_version="py39",
)
baseline = PyTorch(**common)
compiled = PyTorch(
    compiler_config=TrainingCompilerConfig(), disable_profiler=True, debugger_hook_config=False, **common
)
compiled.fit("s3://corpora/train")

model = PyTorchModel(
    entry_point="inference.py",
    source_dir="src",
    role=role,
    model_data=compiled.model_data,
    framework_version="1.13.1",
    py_version="py39",
)
model.deploy(initial_instance_count=1, instance_type="ml.g4dn.xlarge")
