import torch
import torch_xla


def full_batch(args):
    device = torch_xla.device()
    return torch.zeros(2, device=device)


def by_choice(args):
    device = torch_xla.device()
    return torch.zeros(2).to(device)


def by_parameter(device):
    device = torch_xla.device()
    return torch.zeros(2).to(device)


def something_between():
    name = "cuda" if torch.cuda.is_available() else "cpu"
    print("runs on", name)
    device = torch_xla.device()
    return torch.zeros(2).to(device)


device = torch_xla.device()
by_parameter(device)
