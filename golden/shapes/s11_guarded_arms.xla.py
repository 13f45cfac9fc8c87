"""One name bound in two guarded arms around a barrier; a collective inside forward."""

import torch
import torch.nn as nn
import torch_xla
import torch_xla.core.xla_model as xm
import torch_xla.runtime as xr


class GlobalBatchNorm(nn.Module):
    def forward(self, x):
        mean = x.mean(0)
        xm.all_reduce(xm.REDUCE_SUM, [mean])
        return x - mean / xr.world_size()


def load(rank):
    if rank == 0:
        data = torch.arange(8.0)
        xm.rendezvous("load_in_turn")
    else:
        xm.rendezvous("load_in_turn")
        data = torch.arange(8.0)
    return data


def main():
    rank = xr.global_ordinal()
    torch.manual_seed(0)
    torch_xla.manual_seed(0)
    device = torch_xla.device()
    data = load(rank).view(4, 2).to(device)
    model = nn.Sequential(nn.Linear(2, 2), GlobalBatchNorm()).to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for _ in range(2):
        optimizer.zero_grad()
        model(data).pow(2).sum().backward()
        xm.optimizer_step(optimizer, barrier=True)


def _mp_fn(index):
    main()


if __name__ == "__main__":
    torch_xla.launch(_mp_fn)
