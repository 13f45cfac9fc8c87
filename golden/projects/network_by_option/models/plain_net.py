"""What the option names by default."""
import torch.nn as nn


class get_model(nn.Module):
    def __init__(self, classes):
        super().__init__()
        self.fc = nn.Linear(4, classes)

    def forward(self, points):
        return self.fc(points.max(1)[0])


class get_loss(nn.Module):
    def forward(self, pred, target):
        return nn.functional.cross_entropy(pred, target)
