from sagemaker.pytorch import PyTorch, TrainingCompilerConfig


def launch(instance_type, instance_count, distributed=True):
    """One job on the machines that are wanted."""
    return PyTorch(
        entry_point="train.py",
        role=role,
        instance_count=instance_count,
        instance_type=instance_type,
        framework_version="1.13.1",
        py_version="py39",
        compiler_config=TrainingCompilerConfig(),
        distribution={"pytorchxla": {"enabled": distributed}},
    )


def launch_plain(instance_type):
    """The same without a distribution."""
    return PyTorch(
        entry_point="train.py",
        role=role,
        instance_count=1,
        instance_type=instance_type,
        framework_version="1.13.1",
        py_version="py39",
        compiler_config=TrainingCompilerConfig(),
    )


launch("ml.p3.16xlarge", 1)
launch_plain("ml.p3.2xlarge")
