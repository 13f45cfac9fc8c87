"""Only the first process evaluates, and meets the others at a barrier."""

import torch
import torch.nn as nn
import torch_xla
import torch_xla.core.xla_model as xm
import torch_xla.runtime as xr


def main():
    rank = xr.global_ordinal()
    local_rank = xr.local_ordinal()
    if rank != 0:
        xm.rendezvous("main_in_turn")
    torch.manual_seed(0)
    torch_xla.manual_seed(0)
    data = torch.randn(16, 4)  # the first process downloads
    if rank == 0:
        xm.rendezvous("main_in_turn")
    device = torch_xla.device()
    model = nn.Linear(4, 1).to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for x in data.split(4):
        optimizer.zero_grad()
        model(x.to(device)).mean().backward()
        xm.optimizer_step(optimizer, barrier=True)
    xm.save(model.state_dict(), "model.pt")
    xm.rendezvous("main")


def _mp_fn(index):
    main()


if __name__ == "__main__":
    torch_xla.launch(_mp_fn)
