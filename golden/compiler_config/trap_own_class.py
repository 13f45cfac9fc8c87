import sagemaker


class PyTorch:
    """Stands in for the SDK in tests."""

    def __init__(self, **settings):
        self.settings = settings


estimator = PyTorch(entry_point="train.py", instance_type="ml.p3.2xlarge")
session = sagemaker.Session()
