import torch
import torch_xla


def wrap(model, device=None):
    xla_device = torch_xla.device()
    model.to(xla_device)
    if device is None:
        device = torch.device("cuda")
    return model(torch.ones(2).to(device))


def run(model, x, device):
    return model(x.to(device)).to(device)
