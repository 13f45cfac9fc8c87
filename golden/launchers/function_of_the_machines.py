import argparse

from sagemaker.pytorch import PyTorch


def launch(instance_type, instance_count):
    """Start a job on the machines that are asked for."""
    settings = {"role": role, "framework_version": "1.12", "py_version": "py38"}
    if instance_count > 1:
        settings["distribution"] = {"smdistributed": {"dataparallel": {"enabled": True}}}
    return PyTorch("train.py", instance_type=instance_type, instance_count=instance_count, **settings)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="start a training job")
    parser.add_argument("--instance-type", default="ml.p3.16xlarge")
    parser.add_argument("--instance-count", type=int, default=2)
    args = parser.parse_args([])
    launch(args.instance_type, args.instance_count).fit()
