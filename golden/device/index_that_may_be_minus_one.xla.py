import torch
import torch_xla


def place(model, device=None):
    if device is None:
        device = 0
    if device == -1:
        return model
    xla_device = torch_xla.device()
    return model.to(xla_device)
