import torch
from torch import nn
from torch.utils.data import DataLoader
import torch_xla.core.xla_model as xm
import torch_xla.distributed.parallel_loader as pl


def main(dataset=None):
    device = xm.xla_device()
    model = nn.Linear(4, 2).to(device)
    xm.collective_broadcast(list(model.parameters()) + list(model.buffers()))
    xm.mark_step()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    train_sampler = torch.utils.data.distributed.DistributedSampler(
        dataset, num_replicas=xm.xrt_world_size(), rank=xm.get_ordinal()
    )
    for x, y in pl.MpDeviceLoader(
        DataLoader(dataset, batch_size=8 // xm.xrt_world_size(), sampler=train_sampler, drop_last=True), device):
        optimizer.zero_grad()
        nn.functional.cross_entropy(model(x), y).backward()
        xm.optimizer_step(optimizer)


def _mp_fn(index):
    main()


if __name__ == "__main__": main()
