import torch
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset
from torch.utils.data.distributed import DistributedSampler
import torch_xla
import torch_xla.core.xla_model as xm
import torch_xla.distributed.parallel_loader as pl
import torch_xla.runtime as xr


def train_epoch():
    for x, y in device_loader:
        optimizer.zero_grad()
        F.cross_entropy(model(x), y).backward()
        xm.optimizer_step(optimizer)


def main():
    global device, loader, model, optimizer, device_loader

    local_rank = xr.local_ordinal()
    device = torch_xla.device()
    dataset = TensorDataset(torch.randn(40, 4), torch.zeros(40).long())
    loader = DataLoader(
        dataset,
        batch_size=8,
        sampler=DistributedSampler(dataset, num_replicas=xr.world_size(), rank=xr.global_ordinal()),
        drop_last=True)
    device_loader = pl.MpDeviceLoader(loader, device)
    model = torch.nn.Linear(4, 2).to(device)
    xm.broadcast_master_param(model)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)

    for epoch in range(3):
        loader.sampler.set_epoch(epoch)
        train_epoch()


def _mp_fn(index):
    main()


if __name__ == "__main__":
    torch_xla.launch(_mp_fn)
