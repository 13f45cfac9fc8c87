import torch
from torch.nn.functional import mse_loss

from .base import Engine


class Reconstruction(Engine):
    @classmethod
    def code(cls):
        return "reconstruction"

    def loss(self, batch):
        x = torch.stack(batch)
        return mse_loss(self.model(x), x)
