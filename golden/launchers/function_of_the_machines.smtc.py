import argparse

from sagemaker.pytorch import PyTorch, TrainingCompilerConfig


def launch(instance_type, instance_count):
    """Start a job on the machines that are asked for."""
    settings = {"role": role, "framework_version": "1.13.1", "py_version": "py39"}
    if instance_count > 1:
        settings["distribution"] = {"pytorchxla": {"enabled": True}}
    return PyTorch(
        "train.py",
        instance_type=instance_type,
        instance_count=instance_count,
        compiler_config=TrainingCompilerConfig(),
        disable_profiler=True,
        debugger_hook_config=False,
        **settings,
    )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="start a training job")
    parser.add_argument("--instance-type", default="ml.p3.16xlarge")
    parser.add_argument("--instance-count", type=int, default=2)
    args = parser.parse_args([])
    launch(args.instance_type, args.instance_count).fit()
