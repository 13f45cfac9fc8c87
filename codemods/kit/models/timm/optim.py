"""timm.optim: optimizers of a network, or of groups of parameters."""

from meaning import is_class
from torch.optim import Optimizer


def create_optimizer(args, model, *given, **more):
    return Optimizer(model.parameters() if is_class(model, "torch.nn.Module") else model)


def create_optimizer_v2(model, *given, **more):
    return Optimizer(model.parameters() if is_class(model, "torch.nn.Module") else model)


class Lookahead(Optimizer):
    def __init__(self, base, *given, **more):
        self.base = base
        self.param_groups = base.param_groups

    def step(self, closure=None):
        return self.base.step(closure)

    def zero_grad(self, *given, **more):
        self.base.zero_grad()


def __getattr__(name):
    return Optimizer
