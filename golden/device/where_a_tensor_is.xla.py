import torch
import torch.nn as nn
import torch_xla


class Contrast(nn.Module):
    def forward(self, features, adjacency):
        device = features.device
        where = adjacency.device
        mask = torch.eye(features.shape[0], dtype=torch.float32).to(device)
        return mask, torch.ones(2, 1, device=where)


def pick(self, use_cuda, x):
    first = torch_xla.device()
    second = x.device
    return first, second
