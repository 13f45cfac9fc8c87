"""A layer, with a trial of it below."""

import torch
from torch import nn


class WeightDrop(nn.Module):
    def __init__(self, layer, p):
        super().__init__()
        self.layer = layer
        self.p = p

    def forward(self, x):
        mask = torch.ones(x.size(0), 1)
        if x.is_cuda:
            mask = mask.cuda()
        return self.layer(x) * nn.functional.dropout(mask, p=self.p, training=self.training)


if __name__ == "__main__":
    x = torch.randn(2, 4).cuda()
    layer = WeightDrop(nn.Linear(4, 4), 0.9)
    layer.cuda()
    print(layer(x).sum())
