"""Another network that the option may name: its mask makes a graph for each number of points."""
import torch
import torch.nn as nn
import torch_xla


def nearest(points):
    device = torch_xla.device()
    group = torch.arange(points.shape[1]).to(device).repeat(points.shape[0], 1)
    mask = points.sum(-1) > 0
    group[mask] = 0
    return group


class get_model(nn.Module):
    def __init__(self, classes):
        super().__init__()
        self.fc = nn.Linear(4, classes)

    def forward(self, points):
        picked = points.gather(1, nearest(points)[:, :, None].expand(-1, -1, 4))
        return self.fc(picked.max(1)[0])


class get_loss(nn.Module):
    def forward(self, pred, target):
        return nn.functional.cross_entropy(pred, target)
