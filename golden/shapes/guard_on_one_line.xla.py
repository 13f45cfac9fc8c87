import torch
from torch import nn
from torch.utils.data import DataLoader
import torch_xla
import torch_xla.core.xla_model as xm
import torch_xla.distributed.parallel_loader as pl
import torch_xla.runtime as xr


def main(dataset=None):
    device = torch_xla.device()
    model = nn.Linear(4, 2).to(device)
    xm.broadcast_master_param(model)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    train_sampler = torch.utils.data.distributed.DistributedSampler(
        dataset, num_replicas=xr.world_size(), rank=xr.global_ordinal()
    )
    for x, y in pl.MpDeviceLoader(
        DataLoader(dataset, batch_size=8 // xr.world_size(), sampler=train_sampler, drop_last=True), device):
        optimizer.zero_grad()
        nn.functional.cross_entropy(model(x), y).backward()
        xm.optimizer_step(optimizer)


def _mp_fn(index):
    main()


if __name__ == "__main__": torch_xla.launch(_mp_fn)
