import torch_xla.core.xla_model as xm


class Warmup:
    """Steps its optimizer with a rate that grows."""

    def __init__(self, optimizer, rate):
        self.optimizer = optimizer
        self.rate = rate
        self.count = 0

    def zero_grad(self):
        self.optimizer.zero_grad()

    def step(self):
        self.count += 1
        for group in self.optimizer.param_groups:
            group["lr"] = self.rate * min(1.0, self.count / 4)
        xm.optimizer_step(self.optimizer)
