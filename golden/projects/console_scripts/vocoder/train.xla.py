import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset
from torch.utils.data.distributed import DistributedSampler
import torch_xla
import torch_xla.core.xla_model as xm
import torch_xla.distributed.parallel_loader as pl
import torch_xla.runtime as xr


def main():
    local_rank = xr.local_ordinal()
    torch.manual_seed(1)
    torch_xla.manual_seed(1)
    data = TensorDataset(torch.randn(64, 8))
    device = torch_xla.device()
    loader = DataLoader(
        data,
        batch_size=4,
        sampler=DistributedSampler(data, num_replicas=xr.world_size(), rank=xr.global_ordinal()),
        drop_last=True)
    loader = pl.MpDeviceLoader(loader, device)
    model = nn.Linear(8, 8).to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for (features,) in loader:
        loss = (model(features) - features).pow(2).mean()
        optimizer.zero_grad()
        loss.backward()
        xm.optimizer_step(optimizer)


def _mp_fn(index):
    main()


if __name__ == "__main__":
    torch_xla.launch(_mp_fn)
