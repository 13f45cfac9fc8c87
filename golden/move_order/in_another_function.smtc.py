import torch
from torch import nn
import torch_xla.core.xla_model as xm


class Trainer:
    def __init__(self, model, optimizer, gpu_id):
        self.gpu_id = gpu_id
        self.model = model.to(gpu_id)
        self.optimizer = optimizer

    def run(self, loader):
        for x in loader:
            self.optimizer.zero_grad()
            self.model(x.to(self.gpu_id)).sum().backward()
            self.optimizer.step()


def load_objects():
    model = nn.Linear(20, 1)
    device = xm.xla_device()
    model.to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-3)
    return model, optimizer


class Learner:
    def __init__(self):
        self.net = nn.Linear(2, 1)
        device = xm.xla_device()
        self.net.to(device)
        self.opt = torch.optim.Adam(self.net.parameters())

    def fit(self, x):
        self.net.cuda()
        self.opt.zero_grad()
        self.net(x.cuda()).sum().backward()
        self.opt.step()


def main(rank, loader):
    model, optimizer = load_objects()
    Trainer(model, optimizer, rank).run(loader)
