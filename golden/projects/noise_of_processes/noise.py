import torch


def disturbed(x, by=0.1):
    return x + by * torch.randn_like(x)
