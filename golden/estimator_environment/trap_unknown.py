import os

from sagemaker.pytorch import PyTorch


def launch(instance_type, workers, extra):
    return PyTorch(
        entry_point="train.py",
        instance_count=1,
        instance_type=instance_type,
        environment={**extra, "GPU_NUM_DEVICES": "4", "WORKERS": workers, "HOME": os.environ["HOME"]},
    )
