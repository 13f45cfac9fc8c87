import torch.nn as nn


def train(net, loader, accumulate):
    model = nn.parallel.DistributedDataParallel(net)
    for step, x in enumerate(loader):
        model(x).backward()
        model(x).backward()
