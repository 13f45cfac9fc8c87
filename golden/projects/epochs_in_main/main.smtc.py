import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset
import torch_xla.core.xla_model as xm

from engine import train_one_epoch, validate


def main():
    device = xm.xla_device()
    train_set = TensorDataset(torch.randn(64, 4), torch.randint(2, (64,)))
    val_set = TensorDataset(torch.randn(64, 4), torch.randint(2, (64,)))
    model = nn.Linear(4, 2).to(device)
    xm.collective_broadcast(list(model.parameters()) + list(model.buffers()))
    xm.mark_step()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    train_sampler = torch.utils.data.distributed.DistributedSampler(
        train_set, num_replicas=xm.xrt_world_size(), rank=xm.get_ordinal()
    )
    train_loader = DataLoader(train_set, batch_size=8 // xm.xrt_world_size(), sampler=train_sampler)
    val_loader = DataLoader(val_set, batch_size=8)
    for epoch in range(3):
        train_sampler.set_epoch(epoch)
        train_one_epoch(model, train_loader, optimizer, device)
        validate(model, val_loader, device)


def _mp_fn(index):
    main()


if __name__ == "__main__":
    main()
