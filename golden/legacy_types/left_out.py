import torch


def square_root(a, steps, kind=None):
    if kind is None:
        kind = a.type()
    return torch.eye(a.shape[1]).type(kind)


def given(a, kind=None):
    if kind is None:
        kind = a.type()
    return torch.eye(a.shape[1]).type(kind)


a = square_root(torch.ones(3, 3).cuda(), 2)
b = given(a, "torch.DoubleTensor")
