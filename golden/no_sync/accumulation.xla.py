import contextlib

import torch
from torch.nn.parallel import DistributedDataParallel as DDP


def train(net, loader, accumulate):
    model = DDP(net)
    for step, x in enumerate(loader):
        last = (step + 1) % accumulate == 0
        # communicate only at the end
        loss = model(x)
        loss.backward()
        # accumulate
        model(x).backward()
        with torch.no_grad():
            model(x)
