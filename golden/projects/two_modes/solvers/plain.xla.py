from solvers.base import Solver
from torch import nn, optim
import torch_xla.core.xla_model as xm


class PlainSolver(Solver):
    width = 16

    def __init__(self, options):
        super().__init__(options)
        self.network = self.placed(nn.Sequential(nn.Linear(8, self.width), nn.ReLU(), nn.Linear(self.width, 1)))
        self.optimizer = optim.Adam(self.network.parameters(), lr=1e-2)

    def take(self, x, y):
        self.x = x.to(self.device)
        self.y = y.to(self.device)

    def improve(self):
        self.optimizer.zero_grad()
        loss = nn.functional.mse_loss(self.network(self.x), self.y)
        loss.backward()
        xm.optimizer_step(self.optimizer)

    def save(self, step):
        self.write(self.network, f"network_{step}.pt")

    def weights(self):
        return self.described(self.network)
