import torch
from torch import nn
from torch.nn import functional as F


class Learner(nn.Module):
    """A network written down as a list, that runs with its own weights or with those it is given."""

    def __init__(self, layers):
        super().__init__()
        self.layers = layers
        self.weights = nn.ParameterList()
        for kind, sizes in layers:
            if kind == "linear":
                weight = nn.Parameter(torch.ones(*sizes))
                nn.init.kaiming_normal_(weight)
                self.weights.append(weight)
                self.weights.append(nn.Parameter(torch.zeros(sizes[0])))
            elif kind != "relu":
                raise NotImplementedError(kind)

    def forward(self, x, weights=None):
        if weights is None:
            weights = self.weights
        at = 0
        for kind, _ in self.layers:
            if kind == "linear":
                x = F.linear(x, weights[at], weights[at + 1])
                at += 2
            elif kind == "relu":
                x = F.relu(x)
        assert at == len(weights)
        return x

    def parameters(self):
        return self.weights


class Teacher(nn.Module):
    def __init__(self, layers):
        super().__init__()
        self.learner = Learner(layers)
        self.optimizer = torch.optim.SGD(self.learner.parameters(), lr=0.01)

    def forward(self, xs, ys):
        total = 0
        for x, y in zip(xs, ys):
            loss = F.cross_entropy(self.learner(x), y)
            gradients = torch.autograd.grad(loss, self.learner.parameters())
            fast = [p - 0.1 * g for g, p in zip(gradients, self.learner.parameters())]
            total = total + F.cross_entropy(self.learner(x, fast), y)
        self.optimizer.zero_grad()
        total.backward()
        self.optimizer.step()
        return total.detach()
