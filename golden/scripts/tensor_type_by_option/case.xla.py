import argparse

import torch
import torch.nn as nn
from torch.autograd import Variable
from torch.utils.data import DataLoader, TensorDataset
import torch_xla
import torch_xla.core.xla_model as xm
import torch_xla.distributed.parallel_loader as pl


def make_float_tensor(*args):
    return torch.FloatTensor(*args).to(torch.device("xla"))


class Generator:
    def __init__(self, opt):
        self.gpu_ids = opt.gpu_ids
        self.Tensor = make_float_tensor if self.gpu_ids else torch.Tensor
        self.input = self.Tensor(opt.batch_size, 4)
        self.net = nn.Linear(4, 4)
        if len(self.gpu_ids) > 0:
            self.net.to(device)
        self.optimizer = torch.optim.SGD(self.net.parameters(), lr=0.1)

    def step(self, x):
        self.input.resize_(x.size()).copy_(x)
        made = self.net(Variable(self.input))
        real = Variable(self.Tensor(made.size()).fill_(1.0), requires_grad=False)
        loss = (made - real).pow(2).mean()
        self.optimizer.zero_grad()
        loss.backward()
        xm.optimizer_step(self.optimizer)


def critic(x, kind):
    weights = kind([1.0, 2.0, 3.0, 4.0])
    return (x.to(kind()) * weights).sum(1)


parser = argparse.ArgumentParser()
parser.add_argument("--gpu_ids", type=int, nargs="*", default=[0])
parser.add_argument("--batch_size", type=int, default=8)
opt = parser.parse_args()
device = torch_xla.device()
if opt.gpu_ids:
    FloatTensor, LongTensor = lambda *args: torch.FloatTensor(*args).to(device), lambda *args: torch.LongTensor(*args).to(device)
else:
    FloatTensor, LongTensor = torch.FloatTensor, torch.LongTensor
generator = Generator(opt)
loader = DataLoader(TensorDataset(torch.randn(64, 4)), batch_size=opt.batch_size, drop_last=True)
loader = pl.MpDeviceLoader(loader, device)
for epoch in range(2):
    for (x,) in loader:
        generator.step(x)
        score = critic(x, FloatTensor).to(LongTensor())
    print(epoch, score.sum().item())
