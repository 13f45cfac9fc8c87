import torch
from torch.utils.data import DataLoader, TensorDataset


def make_loader():
    generator = torch.Generator().manual_seed(0)
    images = torch.randn(32, 4, generator=generator)
    labels = torch.randint(0, 2, (32,), generator=generator)
    return DataLoader(TensorDataset(images, labels), batch_size=8, pin_memory=True)
