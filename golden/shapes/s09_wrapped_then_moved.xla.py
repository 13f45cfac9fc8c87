"""The wrapper is built around a model that moves afterwards, beside a wrapper of another library."""
import torch
import torch.nn as nn
import torch_xla
import torch_xla.core.xla_model as xm
import torch_xla.runtime as xr


class Replicated:
    """The script's own wrapper."""

    def __init__(self, module):
        self.module = module


def main():
    rank = xr.global_ordinal()
    torch.manual_seed(1)
    torch_xla.manual_seed(1)
    device = torch_xla.device()
    generator = nn.Linear(4, 4).to(device)
    critic = Replicated(nn.Linear(4, 1).to(device))
    optimizer = torch.optim.Adam(list(generator.parameters()) + list(critic.module.parameters()))
    for _ in range(3):
        optimizer.zero_grad()
        critic.module(generator(torch.randn(2, 4).to(device))).mean().backward()
        xm.optimizer_step(optimizer, barrier=True)
    xm.save({"g": generator.state_dict(), "c": critic.module.state_dict()}, "gan.pt")


def _mp_fn(index):
    main()


if __name__ == "__main__":
    torch_xla.launch(_mp_fn)
