from sagemaker.inputs import TrainingInput
from sagemaker.instance_group import InstanceGroup
from sagemaker.pytorch import PyTorch

workers = InstanceGroup("workers", "ml.p3.8xlarge", 2)
estimator = PyTorch(entry_point="train.py", role=role, instance_groups=[workers], framework_version="1.13.1")
estimator.fit({"train": TrainingInput("s3://bucket/train", instance_groups=["workers"])})
