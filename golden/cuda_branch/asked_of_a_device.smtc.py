import torch as th


def get_device(device):
    device = th.device(device)
    return device
