import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset
import torch_xla
import torch_xla.core.xla_model as xm
import torch_xla.distributed.parallel_loader as pl
import torch_xla.runtime as xr

from settings import args


def main():
    torch.manual_seed(0)
    torch_xla.manual_seed(0)
    device = torch_xla.device()
    model = nn.Linear(8, 2).to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=args.lr)
    data = TensorDataset(torch.randn(64, 8), torch.randint(0, 2, (64,)))
    train_sampler = torch.utils.data.distributed.DistributedSampler(
        data, num_replicas=xr.world_size(), rank=xr.global_ordinal()
    )
    loader = DataLoader(data, batch_size=8 // xr.world_size(), sampler=train_sampler, drop_last=True)
    loader = pl.MpDeviceLoader(loader, device)
    for x, y in loader:
        loss = F.cross_entropy(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        xm.optimizer_step(optimizer)


def _mp_fn(index):
    main()


if __name__ == "__main__":
    torch_xla.launch(_mp_fn)
