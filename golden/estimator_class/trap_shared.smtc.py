from sagemaker.huggingface import HuggingFace, HuggingFaceProcessor
from sagemaker.pytorch import PyTorch

versions = {"framework_version": "1.13.1", "py_version": "py39"}


def launch(**more):
    processor = HuggingFaceProcessor(role=role, instance_count=1, instance_type="ml.p3.2xlarge", **versions)
    estimator = PyTorch(entry_point="train.py", role=role, instance_count=1, instance_type="ml.p3.2xlarge", **versions)
    hidden = HuggingFace(entry_point="train.py", pytorch_version="1.13", transformers_version="4.26", **more)
    return processor, estimator, hidden
