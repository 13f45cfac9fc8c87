import torch
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset
from torch.utils.data.distributed import DistributedSampler
import torch_xla.core.xla_model as xm
import torch_xla.distributed.parallel_loader as pl


def train_epoch():
    for x, y in device_loader:
        optimizer.zero_grad()
        F.cross_entropy(model(x), y).backward()
        xm.optimizer_step(optimizer)


def main():
    global device, loader, model, optimizer, device_loader

    local_rank = xm.get_local_ordinal()
    device = xm.xla_device()
    dataset = TensorDataset(torch.randn(40, 4), torch.zeros(40).long())
    loader = DataLoader(
        dataset,
        batch_size=8,
        sampler=DistributedSampler(dataset, num_replicas=xm.xrt_world_size(), rank=xm.get_ordinal()),
        drop_last=True)
    device_loader = pl.MpDeviceLoader(loader, device)
    model = torch.nn.Linear(4, 2).to(device)
    xm.collective_broadcast(list(model.parameters()) + list(model.buffers()))
    xm.mark_step()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)

    for epoch in range(3):
        loader.sampler.set_epoch(epoch)
        train_epoch()


def _mp_fn(index):
    main()


if __name__ == "__main__":
    main()
