"""A device loader has no dataset, sampler or batch size, and next() of it fails: who needs those keeps the loader."""
import torch
from torch.utils.data import DataLoader
from torch.utils.data.distributed import DistributedSampler
import torch_xla.core.xla_model as xm
import torch_xla.distributed.parallel_loader as pl


def train_one_epoch(model, train_loader, optimizer, epoch, local_rank):
    model.train()
    train_loader.sampler.set_epoch(epoch)
    seen = 0
    device = xm.xla_device()
    train_device_loader = pl.MpDeviceLoader(train_loader, device)
    for x, y in train_device_loader:
        optimizer.zero_grad()
        torch.nn.functional.cross_entropy(model(x), y).backward()
        xm.optimizer_step(optimizer)
        seen += train_loader.batch_size
    print(f"{seen}/{len(train_loader.dataset)}")


def main(local_rank):
    train_loader = DataLoader(
        train_set, batch_size=64, sampler=DistributedSampler(train_set, num_replicas=xm.xrt_world_size(), rank=xm.get_ordinal()), drop_last=True
    )
    x, _ = next(iter(train_loader))
    device = xm.xla_device()
    model = torch.nn.Linear(x.shape[1], 2).to(device)
    xm.collective_broadcast(list(model.parameters()) + list(model.buffers()))
    xm.mark_step()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for epoch in range(10):
        train_one_epoch(model, train_loader, optimizer, epoch, local_rank)
