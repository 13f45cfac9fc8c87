import torch
from torch import nn


def build(args, device):
    a, b = nn.Linear(2, 2), nn.Linear(2, 2)
    if args.large:
        a = a.cuda()
    else:
        b = b.cuda()
    if args.half:
        a = nn.DataParallel(a).cuda()
        a.half()
    else:
        a = a.cuda()
    if args.gpu is not None:
        print("GPU", args.gpu)
    return a, b
