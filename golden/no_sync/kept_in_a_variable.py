from contextlib import nullcontext, suppress

import torch.nn as nn


def train(net, loader, accumulate):
    model = nn.parallel.DistributedDataParallel(net)
    for step, x in enumerate(loader):
        context = model.no_sync if step % accumulate else nullcontext
        with context():
            model(x).backward()
        if step % accumulate:
            ctx = model.no_sync()
        else:
            ctx = suppress()
        with ctx:
            model(x).backward()
