"""Steps behind wrappers: a class that also sets the learning rate, and a two-step optimizer of the script's own."""
import torch
from torch.utils.data import DataLoader
import torch_xla
import torch_xla.core.xla_model as xm
import torch_xla.distributed.parallel_loader as pl


class ScheduledOptim:
    def __init__(self, optimizer, warmup):
        self.optimizer = optimizer
        self.warmup = warmup
        self.n = 0

    def zero_grad(self):
        self.optimizer.zero_grad()

    def step_and_update_lr(self):
        self.n += 1
        for group in self.optimizer.param_groups:
            group["lr"] = 0.1 * min(1.0, self.n / self.warmup)
        xm.optimizer_step(self.optimizer)


class SAM(torch.optim.Optimizer):
    def __init__(self, params, rho=0.05, lr=0.1):
        super().__init__(params, dict(rho=rho, lr=lr))
        self.base = torch.optim.SGD(self.param_groups, lr=lr)

    @torch.no_grad()
    def first_step(self):
        for group in self.param_groups:
            for p in group["params"]:
                self.state[p]["e"] = p.grad * group["rho"]
                p.add_(self.state[p]["e"])

    @torch.no_grad()
    def second_step(self):
        for group in self.param_groups:
            for p in group["params"]:
                p.sub_(self.state[p]["e"])
        self.base.step()


def main():
    device = torch_xla.device()
    model = torch.nn.Linear(16, 4).to(device)
    loader = DataLoader(torch.load("data.pt", map_location="cpu"), batch_size=8, drop_last=True)
    loader = pl.MpDeviceLoader(loader, device)
    optimizer = ScheduledOptim(torch.optim.Adam(model.parameters()), 100)
    for x, y in loader:
        optimizer.zero_grad()
        torch.nn.functional.cross_entropy(model(x), y).backward()
        optimizer.step_and_update_lr()

    sam = SAM(model.parameters())
    for x, y in loader:
        sam.zero_grad()
        torch.nn.functional.cross_entropy(model(x), y).backward()
        xm.reduce_gradients(sam)
        sam.first_step()
        sam.zero_grad()
        torch.nn.functional.cross_entropy(model(x), y).backward()
        xm.reduce_gradients(sam)
        sam.second_step()


main()
