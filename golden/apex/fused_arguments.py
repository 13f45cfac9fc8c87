import torch
from apex.optimizers import FusedAdam, FusedSGD


def build(model, lr):
    first = FusedAdam(model.parameters(), lr, True, (0.9, 0.95))
    second = FusedAdam(model.parameters(), lr=lr, weight_decay=0.1)
    third = FusedAdam(model.parameters(), lr=lr, adam_w_mode=False, weight_decay=0.1)
    fourth = FusedAdam(model.parameters(), lr=lr, bias_correction=False, max_grad_norm=1.0)
    fifth = FusedSGD(model.parameters(), lr=lr, momentum=0.9)
    return first, second, third, fourth, fifth
