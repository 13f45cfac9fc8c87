import argparse

import torch
import torch.nn as nn
from torch.autograd import Variable
from torch.utils.data import DataLoader, TensorDataset


class Generator:
    def __init__(self, opt):
        self.gpu_ids = opt.gpu_ids
        self.Tensor = torch.cuda.FloatTensor if self.gpu_ids else torch.Tensor
        self.input = self.Tensor(opt.batch_size, 4)
        self.net = nn.Linear(4, 4)
        if len(self.gpu_ids) > 0:
            self.net.cuda(self.gpu_ids[0])
        self.optimizer = torch.optim.SGD(self.net.parameters(), lr=0.1)

    def step(self, x):
        self.input.resize_(x.size()).copy_(x)
        made = self.net(Variable(self.input))
        real = Variable(self.Tensor(made.size()).fill_(1.0), requires_grad=False)
        loss = (made - real).pow(2).mean()
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()


def critic(x, kind):
    weights = kind([1.0, 2.0, 3.0, 4.0])
    return (x.type(kind) * weights).sum(1)


parser = argparse.ArgumentParser()
parser.add_argument("--gpu_ids", type=int, nargs="*", default=[0])
parser.add_argument("--batch_size", type=int, default=8)
opt = parser.parse_args()
if opt.gpu_ids:
    FloatTensor, LongTensor = torch.cuda.FloatTensor, torch.cuda.LongTensor
else:
    FloatTensor, LongTensor = torch.FloatTensor, torch.LongTensor
generator = Generator(opt)
loader = DataLoader(TensorDataset(torch.randn(64, 4)), batch_size=opt.batch_size, drop_last=True)
for epoch in range(2):
    for (x,) in loader:
        generator.step(x)
        score = critic(x, FloatTensor).type(LongTensor)
    print(epoch, score.sum().item())
