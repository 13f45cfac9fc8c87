import torch
import torch.nn.functional as F
import torch_xla.core.xla_model as xm
import torch_xla.distributed.parallel_loader as pl

from updates import update


def train_one_epoch(model, loader, optimizer, device):
    model.train()
    total = torch.zeros((), device=device)
    loader = pl.MpDeviceLoader(loader, device)
    for images, labels in loader:
        loss = F.cross_entropy(model(images), labels)
        update(optimizer, loss)
        total += loss.detach()
    return total.item() / len(loader)


@torch.no_grad()
def evaluate(model, data, device):
    model.eval()
    right = torch.zeros((), device=device)
    for images, labels in data:
        images, labels = images.to(device), labels.to(device)
        right += (model(images).argmax(1) == labels).sum()
        xm.mark_step()
    return right.item()


@torch.no_grad()
def calibrate(model, batches, device):
    model.eval()
    largest = torch.zeros((), device=device)
    batches = pl.MpDeviceLoader(batches, device)
    for images, _ in batches:
        largest = torch.maximum(largest, model(images).abs().max())
    return largest.item()


@torch.no_grad()
def predict(model, loader):
    device = next(model.parameters()).device
    return torch.cat([model(images.to(device)) for images, _ in loader]).argmax(1).tolist()


@torch.no_grad()
def accuracy(model, loader):
    device = next(model.parameters()).device
    right = torch.zeros((), device=device)
    device_loader = pl.MpDeviceLoader(loader, device)
    for images, labels in device_loader:
        right += (model(images).argmax(1) == labels).sum()
    return right.item() / len(loader.dataset)


def describe(thing):
    return sum(value.numel() for value in thing.values())
