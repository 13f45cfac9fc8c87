"""Moving averages are no steps."""
import torch


def update(model, shadow, decay):
    for p, s in zip(model.parameters(), shadow.parameters()):
        s.data.mul_(decay).add_(p.data, alpha=1 - decay)
    s -= (1 - decay) * (s - p)
