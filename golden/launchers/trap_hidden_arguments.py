"""Jobs whose arguments cannot be seen are left whole."""
import yaml
from sagemaker.pytorch import PyTorch


def job(started_by, version="1.12", **more):
    return PyTorch(
        entry_point="train.py",
        role=role,
        instance_type="ml.p3.16xlarge",
        instance_count=1,
        framework_version=version,
        py_version="py38",
        distribution=started_by,
        **more,
    )


def from_file(path):
    settings = yaml.safe_load(path)
    return PyTorch(
        entry_point="train.py",
        role=role,
        instance_type="ml.p3.16xlarge",
        instance_count=1,
        framework_version=settings["torch"],
        py_version="py38",
        distribution=settings["distribution"],
    )


first = job({"smdistributed": {"dataparallel": {"enabled": True}}})
