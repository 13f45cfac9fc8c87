import torch


def load(data, use_cuda):
    kwargs = {"pin_memory": True} if use_cuda else {}
    return torch.utils.data.DataLoader(data, batch_size=8, **kwargs)
