"""The loop of a function that is handed its loader, which may be a device loader."""
import torch_xla.core.xla_model as xm


def train(model, loader, optimizer, criterion):
    for inputs, labels in loader:
        optimizer.zero_grad()
        criterion(model(inputs), labels).backward()
        xm.optimizer_step(optimizer)
