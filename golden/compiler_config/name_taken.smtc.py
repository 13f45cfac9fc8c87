from sagemaker.huggingface import HuggingFace, TrainingCompilerConfig
from sagemaker.pytorch import PyTorch, TrainingCompilerConfig as PyTorchCompilerConfig

text = HuggingFace(
    entry_point="text.py",
    role=role,
    instance_count=1,
    instance_type="ml.p3.2xlarge",
    transformers_version="4.21.1",
    pytorch_version="1.11.0",
    py_version="py38",
    compiler_config=TrainingCompilerConfig(),
)
vision = PyTorch(
    entry_point="vision.py",
    role=role,
    instance_count=1,
    instance_type="ml.p3.8xlarge",
    framework_version="1.13.1",
    py_version="py39",
    compiler_config=PyTorchCompilerConfig(),
    distribution={"pytorchxla": {"enabled": True}},
)
