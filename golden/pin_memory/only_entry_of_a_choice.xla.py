import torch


def load(data, use_cuda):
    kwargs = {}
    return torch.utils.data.DataLoader(data, batch_size=8, **kwargs)
