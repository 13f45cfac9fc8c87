"""A layer, with a trial of it below."""

import torch
from torch import nn
import torch_xla.core.xla_model as xm


class WeightDrop(nn.Module):
    def __init__(self, layer, p):
        super().__init__()
        self.layer = layer
        self.p = p

    def forward(self, x):
        mask = torch.ones(x.size(0), 1)
        device = xm.xla_device()
        if x.device.type == "xla":
            mask = mask.to(device)
        return self.layer(x) * nn.functional.dropout(mask, p=self.p, training=self.training)


if __name__ == "__main__":
    device = xm.xla_device()
    x = torch.randn(2, 4).to(device)
    layer = WeightDrop(nn.Linear(4, 4), 0.9)
    layer.to(device)
    print(layer(x).sum())
