import torch


def square_root(a, kind=None):
    if kind is None:
        kind = a.type()
    return torch.eye(a.shape[1]).type(kind)


def later(a):
    kind = a.type()
    a = a.cpu()
    return a.float().type(kind)


later(square_root(torch.ones(3, 3).cuda(), "torch.cuda.HalfTensor"))
