"""`.to(f"cuda:{rank}")` in a comprehension, `.to(device=, dtype=, memory_format=)`, a positional number."""
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset
import torch_xla.core.xla_model as xm
import torch_xla.distributed.parallel_loader as pl


def train(rank, epochs):
    device = xm.xla_device()
    model = nn.Conv2d(3, 4, 3).to(device=device, memory_format=torch.channels_last)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    data = TensorDataset(torch.randn(32, 3, 8, 8), torch.randn(32, 4, 6, 6))
    loader = DataLoader(data, batch_size=8, drop_last=True)
    loader = pl.MpDeviceLoader(loader, device)
    for _ in range(epochs):
        for batch in loader:
            images, targets = batch
            images = images.to(device=device, dtype=torch.float32, memory_format=torch.channels_last)
            optimizer.zero_grad()
            loss = (model(images) - targets).pow(2).mean()
            loss.backward()
            xm.optimizer_step(optimizer)


def main():
    train(xm.get_local_ordinal(), 2)


def _mp_fn(index):
    main()


if __name__ == "__main__":
    main()
