import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset
import torch_xla
import torch_xla.core.xla_model as xm
import torch_xla.distributed.parallel_loader as pl
import torch_xla.runtime as xr

from diffusion import Diffusion


def main():
    torch.manual_seed(1234)
    torch_xla.manual_seed(1234)
    device = torch_xla.device()
    train_dataset = TensorDataset(torch.randn(64, 8))
    train_sampler = torch.utils.data.distributed.DistributedSampler(
        train_dataset, num_replicas=xr.world_size(), rank=xr.global_ordinal()
    )
    loader = DataLoader(train_dataset, batch_size=16 // xr.world_size(), sampler=train_sampler, drop_last=True)
    loader = pl.MpDeviceLoader(loader, device)
    model = nn.Linear(8, 8).to(device)
    optimizer = torch.optim.Adam(model.parameters())
    diffusion = Diffusion()
    if xr.global_ordinal() > 0:
        torch.manual_seed(torch.initial_seed() + xr.global_ordinal())
        torch_xla.manual_seed(torch.initial_seed())
    for epoch in range(2):
        train_sampler.set_epoch(epoch)
        for (x,) in loader:
            loss = diffusion.loss(model, x)
            optimizer.zero_grad()
            loss.backward()
            xm.optimizer_step(optimizer)


def _mp_fn(index):
    main()


if __name__ == "__main__":
    torch_xla.launch(_mp_fn)
