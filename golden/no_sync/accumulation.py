import contextlib
from contextlib import nullcontext

import torch
from torch.nn.parallel import DistributedDataParallel as DDP


def train(net, loader, accumulate):
    model = DDP(net)
    for step, x in enumerate(loader):
        last = (step + 1) % accumulate == 0
        # communicate only at the end
        with nullcontext() if last else model.no_sync():
            loss = model(x)
            loss.backward()
        if not last:
            with model.no_sync():  # accumulate
                model(x).backward()
        else:
            model(x).backward()
        with torch.no_grad(), model.no_sync():
            model(x)
