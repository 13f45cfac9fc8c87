import torch
from torch.utils.data import DataLoader, TensorDataset


def get_loader(split):
    data = TensorDataset(torch.randn(64, 4), torch.randint(2, (64,)))
    if split == "train":
        return DataLoader(data, batch_size=8, shuffle=True)
    return DataLoader(data, batch_size=8, shuffle=False)
