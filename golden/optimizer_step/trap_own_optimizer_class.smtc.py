import torch
import torch_xla.core.xla_model as xm


class SAM(torch.optim.Optimizer):
    def __init__(self, params, base_optimizer, rho=0.05, **kwargs):
        super().__init__(params, dict(rho=rho, **kwargs))
        self.base_optimizer = torch.optim.SGD(self.param_groups, **kwargs)

    def first_step(self, zero_grad=False):
        for group in self.param_groups:
            for p in group["params"]:
                p.add_(p.grad, alpha=group["rho"])

    def second_step(self, zero_grad=False):
        self.base_optimizer.step()


class Lookahead(torch.optim.Optimizer):
    def __init__(self, optimizer: torch.optim.Optimizer):
        self.optimizer = optimizer

    def step(self, closure=None):
        return self.optimizer.step(closure)


def train(model, batches):
    model.cuda()
    optimizer = SAM(model.parameters(), torch.optim.SGD, lr=0.1)
    for x, y in iter(get_batch, None):
        model(x.cuda(), y.cuda()).backward()
        xm.reduce_gradients(optimizer)
        optimizer.first_step(zero_grad=True)
        model(x.cuda(), y.cuda()).backward()
        xm.reduce_gradients(optimizer)
        optimizer.second_step(zero_grad=True)
    slow = Lookahead(torch.optim.SGD(model.parameters(), lr=0.1))
    for x, y in iter(get_batch, None):
        model(x.cuda(), y.cuda()).backward()
        xm.optimizer_step(slow, barrier=True)
