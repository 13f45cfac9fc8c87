"""Two flows: one solver chooses its steps, the other has been told them."""

import torch
from torch import nn
from torchdiffeq import odeint_adjoint as odeint


class Flow(nn.Module):
    def __init__(self, inner):
        super().__init__()
        self.inner = inner

    def forward(self, x):
        free = odeint(self.inner, x, torch.tensor([0.0, 1.0]).to(x), rtol=1e-5, atol=1e-5)
        fixed = odeint(self.inner, x, torch.tensor([0.0, 1.0]).to(x), method="rk4")
        return free[-1] + fixed[-1]


flow = Flow(nn.Linear(2, 2)).cuda()
