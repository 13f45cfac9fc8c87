"""The number of GPUs is the number of processes; the local rank is computed from it."""
import torch
import torch.nn as nn
import torch_xla.core.xla_model as xm


def worker(rank, batch_size):
    world_size = xm.xrt_world_size()
    local_rank = xm.get_local_ordinal()
    torch.manual_seed(0)
    xm.set_rng_state(0)
    device = xm.xla_device()
    model = nn.Linear(4, 1).to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1 * world_size)
    for _ in range(4):
        x = torch.randn(batch_size // world_size, 4, device=device)
        optimizer.zero_grad()
        model(x).mean().backward()
        xm.optimizer_step(optimizer, barrier=True)


def main():
    worker(xm.get_ordinal(), 64)


def _mp_fn(index):
    main()


if __name__ == "__main__":
    main()
