"""One arm moves, or an arm does something else: no placement tree."""
import torch
from torch import nn


def one(model, use_cuda):
    if use_cuda:
        model = nn.DataParallel(model).cuda()
    return model


def saves(model, args):
    if args.gpu is not None:
        model = model.cuda(args.gpu)
        torch.save(model.state_dict(), "gpu.pt")
    else:
        model = nn.DataParallel(model).cuda()
    return model


def two(a, b, args):
    if args.gpu is not None:
        a = a.cuda(args.gpu)
    else:
        b = nn.DataParallel(b).cuda()
    return a, b
