"""Loops over loaders that compute nothing on the device keep their loaders."""
import torch
from torch.utils.data import DataLoader

device = torch.device("cuda")
loader = DataLoader(dataset, batch_size=256)

mean = 0.0
for images, _ in loader:
    mean += images.mean(dim=(0, 2, 3))
mean /= len(loader)

images, labels = next(iter(loader))
show(images.numpy())
