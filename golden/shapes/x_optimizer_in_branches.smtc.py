"""One optimizer or another, and perhaps a second one, before the model moves."""
import torch
from torch import optim
import torch_xla.core.xla_model as xm
import torch_xla.distributed.parallel_loader as pl


def main(args, loader):
    model = torch.nn.Sequential(torch.nn.Embedding(10, 4, sparse=args.sparse), torch.nn.Linear(4, 2))
    device = xm.xla_device()
    model = model.to(device)
    if args.optim == "sgd":
        if args.sparse:
            second = optim.SGD(model[0].parameters(), lr=0.2)
            optimizer = optim.SGD(model[1].parameters(), lr=0.1)
        else:
            optimizer = optim.SGD(model.parameters(), lr=0.1)
            second = None
    elif args.optim == "adam":
        optimizer = optim.Adam(model.parameters(), lr=0.1)
        second = None

    loader = pl.MpDeviceLoader(loader, device)
    for x, y in loader:
        optimizer.zero_grad()
        torch.nn.functional.cross_entropy(model(x).mean(1), y).backward()
        xm.reduce_gradients(optimizer)
        if second:
            xm.reduce_gradients(second)
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        if second:
            second.step()
            second.zero_grad()
