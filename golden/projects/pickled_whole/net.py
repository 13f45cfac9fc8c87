import torch.nn as nn
import torch.optim


class Net(nn.Module):
    def __init__(self, hidden, heads, pretrained=None):
        super().__init__()
        self.size = int(hidden / heads)
        self.fc = nn.Linear(self.size, 2)
        if pretrained is not None:
            self.fc.weight.data.copy_(pretrained.fc.weight)

    def forward(self, x):
        return self.fc(x)


class Optim:
    """Steps, and is no torch.optim.Optimizer."""

    def __init__(self, parameters):
        self.parameters = list(parameters)
        self.optimizer = torch.optim.SGD(self.parameters, lr=0.1)

    def step(self):
        norm = sum(one.grad.norm() for one in self.parameters)
        self.optimizer.step()
        return norm
