import torch
from torch import compile as tcompile

net = tcompile(torch.nn.Linear(2, 2).cuda(), mode="default")
net = torch.compile(torch.nn.Linear(2, 2).cuda()) if fast else torch.nn.Linear(2, 2).cuda()
step = torch.compile(
    net,  # the model
    dynamic=True,
)
if fast: net = torch.compile(net)


class Trainer:
    def __init__(self, model):
        self.model = torch.compile(model)
        self.net = torch.nn.Linear(2, 2).cuda()
        self.net.compile()
