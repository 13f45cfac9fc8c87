from sagemaker.pytorch import PyTorch


def launch(**more):
    return PyTorch(entry_point="train.py", **more)
