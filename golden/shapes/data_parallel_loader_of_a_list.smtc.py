import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset
import torch_xla.core.xla_model as xm
import torch_xla.distributed.parallel_loader as pl

dataset = TensorDataset(torch.randn(256, 4), torch.randint(0, 2, (256,)))
things = [None, None]


def main():
    train_sampler = torch.utils.data.distributed.DistributedSampler(
        dataset, num_replicas=xm.xrt_world_size(), rank=xm.get_ordinal()
    )
    named = dict(second=DataLoader(dataset, batch_size=64 // xm.xrt_world_size(), sampler=train_sampler), other=None)
    train_sampler_ = torch.utils.data.distributed.DistributedSampler(
        dataset, num_replicas=xm.xrt_world_size(), rank=xm.get_ordinal()
    )
    things[1] = DataLoader(dataset, batch_size=64 // xm.xrt_world_size(), sampler=train_sampler_)
    device = xm.xla_device()
    model = nn.Linear(4, 2).to(device)
    xm.collective_broadcast(list(model.parameters()) + list(model.buffers()))
    xm.mark_step()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for epoch in range(3):
        train_sampler.set_epoch(epoch)
        train_sampler_.set_epoch(epoch)
        for x, y in pl.MpDeviceLoader(things[1], device):
            optimizer.zero_grad()
            nn.functional.cross_entropy(model(x), y).backward()
            xm.optimizer_step(optimizer)
        for x, y in pl.MpDeviceLoader(named["second"], device):
            optimizer.zero_grad()
            nn.functional.cross_entropy(model(x), y).backward()
            xm.optimizer_step(optimizer)


def _mp_fn(index):
    main()


if __name__ == "__main__":
    main()
