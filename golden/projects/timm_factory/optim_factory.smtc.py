import torch
from torch_xla.amp import syncfree


def param_groups(model, weight_decay):
    decay, no_decay = [], []
    for name, param in model.named_parameters():
        (no_decay if param.ndim <= 1 else decay).append(param)
    return [{"params": no_decay, "weight_decay": 0.0}, {"params": decay, "weight_decay": weight_decay}]


def create_optimizer(args, model):
    parameters = param_groups(model, args.weight_decay)
    return syncfree.AdamW(parameters, lr=args.lr, betas=(0.9, 0.95))
