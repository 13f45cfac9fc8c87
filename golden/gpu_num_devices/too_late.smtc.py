import torch_xla.core.xla_model as xm


def train():
    device = xm.xla_device()
    return device
