"""A graph convolution and the loss of contrasts that is copied from repository to repository."""

import torch
import torch.nn as nn
import torch.nn.functional as F


class GraphNet(nn.Module):
    def __init__(self, inputs, classes):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(inputs, classes) * 0.1)

    def forward(self, features, adjacency):
        device = features.device
        own = torch.eye(features.size(0), device=device)
        return F.log_softmax(torch.mm(adjacency + own, features @ self.weight), dim=1)
