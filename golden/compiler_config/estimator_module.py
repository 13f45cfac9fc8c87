import logging

from sagemaker.pytorch.estimator import PyTorch
from sagemaker.inputs import TrainingInput

logging.basicConfig(level=logging.INFO)


def launch(name, instance_type="ml.p3.2xlarge"):
    """Start one job."""
    estimator = PyTorch(
        entry_point="train.py", role=role, instance_count=1, instance_type=instance_type,
        base_job_name=name,
    )
    estimator.fit(TrainingInput("s3://corpora/train"))
    return estimator
