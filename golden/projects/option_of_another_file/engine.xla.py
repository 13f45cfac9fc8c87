from torch import nn
import torch_xla
import torch_xla.core.xla_model as xm
import torch_xla.distributed.parallel_loader as pl


def train(args, model, loader, optimizer):
    device = torch_xla.device()
    loader = pl.MpDeviceLoader(loader, device) if args.cuda else loader
    for x, y in loader:
        optimizer.zero_grad()
        nn.functional.cross_entropy(model(x), y).backward()
        xm.optimizer_step(optimizer)
