"""The number of GPUs is the number of processes; the local rank is computed from it."""
import torch
import torch.nn as nn
import torch_xla
import torch_xla.core.xla_model as xm
import torch_xla.runtime as xr


def worker(rank, batch_size):
    world_size = xr.world_size()
    local_rank = xr.local_ordinal()
    torch.manual_seed(0)
    torch_xla.manual_seed(0)
    device = torch_xla.device()
    model = nn.Linear(4, 1).to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1 * world_size)
    for _ in range(4):
        x = torch.randn(batch_size // world_size, 4, device=device)
        optimizer.zero_grad()
        model(x).mean().backward()
        xm.optimizer_step(optimizer, barrier=True)


def main():
    torch_xla.launch(worker, args=(64,))


if __name__ == "__main__":
    main()
