import torch
import torch_xla.core.xla_model as xm


def full_batch(args):
    device = xm.xla_device()
    return torch.zeros(2, device=device)


def by_choice(args):
    device = xm.xla_device()
    return torch.zeros(2).to(device)


def by_parameter(device):
    device = xm.xla_device()
    return torch.zeros(2).to(device)


def something_between():
    name = "cuda" if torch.cuda.is_available() else "cpu"
    print("runs on", name)
    device = xm.xla_device()
    return torch.zeros(2).to(device)


device = xm.xla_device()
by_parameter(device)
