import torch
from torch import nn


class Learner:
    def __init__(self, cfg):
        self.device = torch.device("cuda")
        self.net = nn.Linear(2, 2).cuda()

    def step(self, x):
        return self.net(x.cuda())


def run(args):
    args.device = torch.device("cuda", args.local_rank)
    model = nn.Linear(2, 2).cuda(args.local_rank)
    return helper(model, args), other(model, args.device)


def helper(model, args):
    return model(torch.ones(2).cuda())


def other(model, device):
    return model(torch.ones(2, device=device).cuda())


def lone(model):
    for _ in range(3):
        x = torch.ones(2).cuda()
        if x is not None:
            y = model(x).cuda()
    return y
