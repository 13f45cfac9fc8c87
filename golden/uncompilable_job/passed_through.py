from sagemaker.pytorch import PyTorch


def estimator(entry_point, **settings):
    """One estimator with the team's defaults."""
    settings.setdefault("instance_count", 1)
    return PyTorch(entry_point=entry_point, role=role, framework_version="1.12", py_version="py38", **settings)
