import torch
from torch import nn


def restore(model):
    model.load_state_dict(torch.load("best.pt", map_location="cpu"))


def main():
    model = nn.Linear(4, 2).cuda()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for step in range(3):
        optimizer.zero_grad()
        model(torch.randn(8, 4).cuda()).sum().backward()
        optimizer.step()
    torch.save(model.state_dict(), "best.pt")
    restore(model)


if __name__ == "__main__":
    main()
