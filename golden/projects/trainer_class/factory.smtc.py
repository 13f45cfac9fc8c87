import torch
from torch.optim import lr_scheduler
from torch_xla.amp import syncfree


def build_optimizer(config, model):
    parameters = filter(lambda p: p.requires_grad, model.parameters())
    if config.name == "adam":
        return syncfree.Adam(parameters, lr=config.lr, weight_decay=config.weight_decay)
    return syncfree.SGD(parameters, lr=config.lr, momentum=0.9, weight_decay=config.weight_decay)


def build_scheduler(config, optimizer):
    return lr_scheduler.ExponentialLR(optimizer, gamma=config.gamma)


def build_criterion():
    return torch.nn.SmoothL1Loss()
