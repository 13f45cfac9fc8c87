import torch
import torch.nn as nn
import torch_xla.core.xla_model as xm


class Contrast(nn.Module):
    def forward(self, features, adjacency):
        device = features.device
        where = adjacency.device
        mask = torch.eye(features.shape[0], dtype=torch.float32).to(device)
        return mask, torch.ones(2, 1, device=where)


def pick(self, use_cuda, x):
    first = xm.xla_device()
    second = x.device
    return first, second
