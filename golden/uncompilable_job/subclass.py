from sagemaker.pytorch import PyTorch


class TeamEstimator(PyTorch):
    """With the team's versions."""

    def __init__(self, entry_point, **kwargs):
        super().__init__(entry_point, role=role, framework_version="1.13.1", py_version="py39", **kwargs)


job = TeamEstimator("train.py", instance_count=1, instance_type="ml.p3.2xlarge")
