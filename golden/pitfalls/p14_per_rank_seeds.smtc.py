"""Each rank has its own seed; DDP made the weights equal."""

import torch
import torch.nn as nn
import torch_xla.core.xla_model as xm


def main():
    rank = xm.get_ordinal()
    local_rank = xm.get_local_ordinal()
    torch.manual_seed(42 + rank)
    xm.set_rng_state(42 + rank)
    device = xm.xla_device()
    model = nn.Sequential(nn.Linear(4, 8), nn.Dropout(0.1), nn.Linear(8, 1)).to(device)
    xm.collective_broadcast(list(model.parameters()) + list(model.buffers()))
    xm.mark_step()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for _ in range(4):
        x = torch.randn(8, 4).to(device)
        optimizer.zero_grad()
        model(x).mean().backward()
        xm.optimizer_step(optimizer, barrier=True)


def _mp_fn(index):
    main()


if __name__ == "__main__":
    main()
