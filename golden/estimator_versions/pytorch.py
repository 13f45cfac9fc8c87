import sagemaker
from sagemaker.pytorch import PyTorch

role = sagemaker.get_execution_role()

estimator = PyTorch(
    entry_point="train.py",
    source_dir="src",
    role=role,
    instance_count=1,
    instance_type="ml.p3.2xlarge",
    framework_version="1.12",
    py_version="py38",
    hyperparameters={"epochs": 3},
)
estimator.fit({"train": "s3://bucket/train"})
