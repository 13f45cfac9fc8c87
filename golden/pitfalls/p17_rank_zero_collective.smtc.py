"""Only the first process evaluates, and meets the others at a barrier."""

import torch
import torch.nn as nn
import torch_xla.core.xla_model as xm


def main():
    rank = xm.get_ordinal()
    local_rank = xm.get_local_ordinal()
    if rank != 0:
        xm.rendezvous("main_in_turn")
    torch.manual_seed(0)
    xm.set_rng_state(0)
    data = torch.randn(16, 4)  # the first process downloads
    if rank == 0:
        xm.rendezvous("main_in_turn")
    device = xm.xla_device()
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
    main()
