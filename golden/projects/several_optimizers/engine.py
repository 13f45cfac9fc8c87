"""Steps every optimizer of a dict or a list that another file makes."""

import torch
from torch.nn.functional import cross_entropy


def step_all(optimizers):
    for optimizer in optimizers:
        optimizer.step()


def train(model, loader, optimizers, device):
    for x, y in loader:
        x, y = x.to(device), y.to(device)
        for opt in optimizers.values():
            opt.zero_grad()
        loss = cross_entropy(model(x), y)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        for opt in optimizers.values():
            opt.step()
    return loss


def fine_tune(model, loader, optimizers, device):
    for x, y in loader:
        x, y = x.to(device), y.to(device)
        model.zero_grad()
        loss = cross_entropy(model(x), y)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        step_all(optimizers)
    return loss
