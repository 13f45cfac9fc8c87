import torch
from torch import nn
import torch_xla
import torch_xla.core.xla_model as xm

from common import set_seed


def main():
    set_seed(3)
    device = torch_xla.device()
    model = nn.Linear(4, 4).to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for step in range(100):
        x = torch.randn(8, 4, device=device)
        optimizer.zero_grad()
        (model(x) - x).pow(2).mean().backward()
        xm.optimizer_step(optimizer, barrier=True)


if __name__ == "__main__":
    main()
