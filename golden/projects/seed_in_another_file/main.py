import torch
from torch import nn

from common import set_seed


def main():
    set_seed(3)
    model = nn.Linear(4, 4).to(torch.device("cuda"))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for step in range(100):
        x = torch.randn(8, 4, device=torch.device("cuda"))
        optimizer.zero_grad()
        (model(x) - x).pow(2).mean().backward()
        optimizer.step()


if __name__ == "__main__":
    main()
