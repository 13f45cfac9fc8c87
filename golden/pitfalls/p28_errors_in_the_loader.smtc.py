"""An error in the dataset ends the epoch early (torch_xla 2.6) or hangs (before): the number of steps shows it."""
import torch
from torch.utils.data import DataLoader
import torch_xla.core.xla_model as xm
import torch_xla.distributed.parallel_loader as pl


def main():
    device = xm.xla_device()
    model = torch.nn.Linear(4, 2).to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    loader = DataLoader(dataset, batch_size=8, shuffle=True, drop_last=True)
    loader = pl.MpDeviceLoader(loader, device)
    steps = 0
    for x, y in loader:
        optimizer.zero_grad()
        torch.nn.functional.cross_entropy(model(x), y).backward()
        xm.optimizer_step(optimizer)
        steps += 1
    assert steps == len(loader)


if __name__ == "__main__":
    main()
