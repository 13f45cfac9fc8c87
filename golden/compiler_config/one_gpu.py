"""Fine-tune the sentiment model on SageMaker."""
import sagemaker
from sagemaker.pytorch import PyTorch

role = sagemaker.get_execution_role()

estimator = PyTorch(
    entry_point="train.py",
    source_dir="src",
    role=role,
    instance_count=1,
    instance_type="ml.p3.2xlarge",
    framework_version="1.13.1",
    py_version="py39",
    hyperparameters={"epochs": 3, "batch-size": 64},
)
estimator.fit({"train": "s3://corpora/sentiment/train"})
