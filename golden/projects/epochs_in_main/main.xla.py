import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset
import torch_xla
import torch_xla.core.xla_model as xm
import torch_xla.runtime as xr

from engine import train_one_epoch, validate


def main():
    device = torch_xla.device()
    train_set = TensorDataset(torch.randn(64, 4), torch.randint(2, (64,)))
    val_set = TensorDataset(torch.randn(64, 4), torch.randint(2, (64,)))
    model = nn.Linear(4, 2).to(device)
    xm.broadcast_master_param(model)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    train_sampler = torch.utils.data.distributed.DistributedSampler(
        train_set, num_replicas=xr.world_size(), rank=xr.global_ordinal()
    )
    train_loader = DataLoader(train_set, batch_size=8 // xr.world_size(), sampler=train_sampler)
    val_loader = DataLoader(val_set, batch_size=8)
    for epoch in range(3):
        train_sampler.set_epoch(epoch)
        train_one_epoch(model, train_loader, optimizer, device)
        validate(model, val_loader, device)


def _mp_fn(index):
    main()


if __name__ == "__main__":
    torch_xla.launch(_mp_fn)
