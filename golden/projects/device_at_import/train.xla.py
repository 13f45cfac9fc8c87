import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset
import torch_xla
import torch_xla.core.xla_model as xm
import torch_xla.distributed.parallel_loader as pl
import torch_xla.runtime as xr

import config
from engine import evaluate


def main():
    torch.manual_seed(0)
    torch_xla.manual_seed(0)
    x = torch.randn(64, 4)
    dataset = TensorDataset(x, x.sum(1, keepdim=True))
    device = torch_xla.device()
    train_sampler = torch.utils.data.distributed.DistributedSampler(
        dataset, num_replicas=xr.world_size(), rank=xr.global_ordinal(), shuffle=False
    )
    loader = DataLoader(dataset, batch_size=config.BATCH // xr.world_size(), sampler=train_sampler)
    device_loader = pl.MpDeviceLoader(loader, device)
    model = nn.Linear(4, 1).to(config.DEVICE)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for x, y in device_loader:
        optimizer.zero_grad()
        loss = nn.functional.mse_loss(model(x), y)
        loss.backward()
        xm.optimizer_step(optimizer)
    print(f"loss {loss.item():.4f} error {evaluate(model, loader):.4f}")


def _mp_fn(index):
    main()


if __name__ == "__main__":
    torch_xla.launch(_mp_fn)
