import torch
import torch_xla.core.xla_model as xm


def place(model, device=None):
    if device is None:
        device = 0
    if device == -1:
        return model
    xla_device = xm.xla_device()
    return model.to(xla_device)
