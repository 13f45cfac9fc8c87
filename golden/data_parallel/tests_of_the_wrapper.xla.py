import torch
import torch.nn as nn


class Swa(nn.Module):
    pass


def unwrap(model):
    return model


def is_parallel(model):
    return False


def save(args):
    model = nn.Linear(2, 2)
    state = model.state_dict()
    print("plain")
    if isinstance(model, Swa): state = None
    wrapped = False
    torch.save(state if not is_parallel(model) else model.state_dict(), "x.pt")
