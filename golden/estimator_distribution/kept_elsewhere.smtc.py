"""The distribution is an item of a dictionary, an attribute, and what a function gives."""
from sagemaker.pytorch import PyTorch, TrainingCompilerConfig

CONFIG = {"ddp": {"pytorchxla": {"enabled": True}}, "machine": "ml.p3.16xlarge"}


def mpi():
    return {"pytorchxla": {"enabled": True}}


class Run:
    KIND = "ml.p4d.24xlarge"

    def __init__(self):
        self.started_by = {"pytorchxla": {"enabled": True}}

    def job(self):
        return PyTorch(
            entry_point="train.py",
            role="arn:aws:iam::123456789012:role/sagemaker",
            instance_type=Run.KIND,
            instance_count=2,
            framework_version="1.13.1",
            py_version="py39",
            compiler_config=TrainingCompilerConfig(),
            distribution=self.started_by,
        )


first = PyTorch(
    entry_point="train.py",
    role=role,
    instance_type=CONFIG["machine"],
    instance_count=1,
    framework_version="1.13.1",
    py_version="py39",
    compiler_config=TrainingCompilerConfig(),
    distribution=CONFIG["ddp"],
)
second = PyTorch(
    entry_point="train.py",
    role=role,
    instance_type=CONFIG.get("machine"),
    instance_count=1,
    framework_version="1.13.1",
    py_version="py39",
    compiler_config=TrainingCompilerConfig(),
    distribution=mpi(),
)
third = Run().job()
