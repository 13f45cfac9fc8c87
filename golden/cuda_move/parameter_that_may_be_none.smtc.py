import torch
import torch_xla.core.xla_model as xm


def wrap(model, device=None):
    xla_device = xm.xla_device()
    model.to(xla_device)
    if device is None:
        device = torch.device("cuda")
    return model(torch.ones(2).to(device))


def run(model, x, device):
    return model(x.to(device)).to(device)
