from torch.optim import *  # noqa: F403
from torch.optim import Optimizer


class SignSGD(Optimizer):
    def __init__(self, params, lr=0.01):
        super().__init__(params, {"lr": lr})

    def step(self, closure=None):
        for group in self.param_groups:
            for p in group["params"]:
                if p.grad is not None:
                    p.data.add_(p.grad.data.sign(), alpha=-group["lr"])
