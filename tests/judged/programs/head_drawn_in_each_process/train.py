"""One of several heads is trained in each iteration; one draw served all GPUs."""

import random

import torch
from torch.utils.data import DataLoader, TensorDataset

from heads import Heads


def main():
    data = TensorDataset(torch.randn(256, 8), torch.randint(0, 3, (256,)))
    loader = DataLoader(data, 32, shuffle=True, drop_last=True)
    net = torch.nn.DataParallel(Heads().cuda())
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    for x, y in loader:
        which = random.choice(["color", "form", "size"])
        loss = torch.nn.functional.cross_entropy(net(x.cuda(), which), y.cuda())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


if __name__ == "__main__":
    main()
