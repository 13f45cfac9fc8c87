import torch
import torch.nn as nn
from torch.utils.data import DataLoader
import torch_xla.core.xla_model as xm
import torch_xla.distributed.parallel_loader as pl
from data import Tasks


def main():
    device = xm.xla_device()
    net = nn.Linear(4, 2).to(device)
    xm.collective_broadcast(list(net.parameters()) + list(net.buffers()))
    xm.mark_step()
    opt = torch.optim.SGD(net.parameters(), lr=0.1)
    for epoch in range(10):
        tasks = Tasks(10000)
        train_sampler = torch.utils.data.distributed.DistributedSampler(
            tasks, num_replicas=xm.xrt_world_size(), rank=xm.get_ordinal()
        )
        train_sampler.set_epoch(epoch)
        loader = DataLoader(tasks, 8 // xm.xrt_world_size(), sampler=train_sampler, num_workers=2)
        loader = pl.MpDeviceLoader(loader, device)
        for x, y in loader:
            loss = nn.functional.cross_entropy(net(x), y)
            opt.zero_grad()
            loss.backward()
            xm.optimizer_step(opt)


def _mp_fn(index):
    main()


if __name__ == '__main__':
    main()
