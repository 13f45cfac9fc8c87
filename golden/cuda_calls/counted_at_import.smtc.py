import os
import torch
from torch import nn


class Settings:
    devices = int(os.environ.get("GPU_NUM_DEVICES", "1"))


def train(loader, workers=4 * int(os.environ.get("GPU_NUM_DEVICES", "1"))):
    net = nn.DataParallel(nn.Linear(4, 2)).cuda()
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    print(int(os.environ.get("GPU_NUM_DEVICES", "1")), workers, Settings.devices)
    for x, y in loader:
        optimizer.zero_grad()
        nn.functional.cross_entropy(net(x.cuda()), y.cuda()).backward()
        optimizer.step()
