import torch
from torch import nn
from torch.utils.data import TensorDataset


def build_dataset(seed):
    generator = torch.Generator().manual_seed(seed)
    images = torch.randn(64, 8, generator=generator)
    return TensorDataset(images, (images.sum(1) > 0).long())


def build_model():
    torch.manual_seed(0)
    return nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 2))
