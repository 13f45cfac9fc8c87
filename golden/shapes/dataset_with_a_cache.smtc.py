from pathlib import Path

import torch
import torch.nn as nn
from torch.utils.data import DataLoader, Dataset
import torch_xla.core.xla_model as xm
import torch_xla.distributed.parallel_loader as pl


class Cached(Dataset):
    def __init__(self, folder):
        self.folder = Path(folder)

    def __len__(self):
        return 16

    def __getitem__(self, index):
        path = self.folder / f"{index}.pt"
        if path.is_file():
            return torch.load(path)
        features = torch.randn(8)
        torch.save(features, path)
        return features


def main():
    device = xm.xla_device()
    model = nn.Linear(8, 1).to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    loader = DataLoader(Cached("cache"), batch_size=4, num_workers=2)
    loader = pl.MpDeviceLoader(loader, device)
    for features in loader:
        loss = model(features).mean()
        optimizer.zero_grad()
        loss.backward()
        xm.optimizer_step(optimizer)
    xm.save(model.state_dict(), "model.pt")


if __name__ == "__main__":
    main()
