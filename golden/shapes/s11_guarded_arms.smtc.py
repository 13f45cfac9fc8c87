"""One name bound in two guarded arms around a barrier; a collective inside forward."""

import torch
import torch.nn as nn
import torch_xla.core.xla_model as xm


class GlobalBatchNorm(nn.Module):
    def forward(self, x):
        mean = x.mean(0)
        xm.all_reduce(xm.REDUCE_SUM, [mean])
        return x - mean / xm.xrt_world_size()


def load(rank):
    if rank == 0:
        data = torch.arange(8.0)
        xm.rendezvous("load_in_turn")
    else:
        xm.rendezvous("load_in_turn")
        data = torch.arange(8.0)
    return data


def main():
    rank = xm.get_ordinal()
    torch.manual_seed(0)
    xm.set_rng_state(0)
    device = xm.xla_device()
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
    main()
