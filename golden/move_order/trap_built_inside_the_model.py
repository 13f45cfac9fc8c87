import torch
from torch import nn


class Layer(nn.Linear):
    def __init__(self, inputs, outputs, bias=True, device=None, dtype=None):
        super().__init__(inputs, outputs, bias, device, dtype)
        self.relu = nn.ReLU()
        self.opt = torch.optim.Adam(self.parameters(), lr=0.03)

    def learn(self, x):
        for _ in range(10):
            loss = self.relu(self(x)).pow(2).mean()
            self.opt.zero_grad()
            loss.backward()
            self.opt.step()
        return self(x).detach()


class Head(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.out = nn.Linear(width, 2)
        self.opt = torch.optim.SGD(self.out.parameters(), lr=0.1)

    def learn(self, x):
        loss = self.out(x).square().sum()
        loss.backward()
        self.opt.step()


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.head = Head(16)


device = torch.device("cuda")
first = Layer(8, 16).to(device)
net = Net().to(device)
net.head.learn(first.learn(torch.randn(4, 8).to(device)))
