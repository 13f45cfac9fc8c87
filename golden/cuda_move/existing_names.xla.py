import torch
from torch import nn
import torch_xla


class Learner:
    def __init__(self, cfg):
        self.device = torch.device("cuda")
        self.net = nn.Linear(2, 2).to(self.device)

    def step(self, x):
        return self.net(x.to(self.device))


def run(args):
    args.device = torch.device("cuda", args.local_rank)
    model = nn.Linear(2, 2).to(args.device)
    return helper(model, args), other(model, args.device)


def helper(model, args):
    return model(torch.ones(2).to(args.device))


def other(model, device):
    return model(torch.ones(2, device=device).to(device))


def lone(model):
    device = torch_xla.device()
    for _ in range(3):
        x = torch.ones(2).to(device)
        if x is not None:
            y = model(x).to(device)
    return y
