import contextlib

import torch.nn as nn


def train(net, batches, run):
    model = nn.parallel.DistributedDataParallel(net)
    with contextlib.ExitStack() as stack:
        stack.enter_context(contextlib.nullcontext())
        run(contextlib.nullcontext, batches)
    model.register_comm_hook(None, print)
    with model.join():
        run(model, batches)
