import torch

KINDS = {"small": lambda: torch.nn.Linear(4, 1), "large": lambda: torch.nn.Linear(4, 64)}


def made(kind, device):
    network = KINDS[kind]().to(device)
    return torch.nn.DataParallel(network)
