import torch
from torch import nn
from torch._utils import _flatten_dense_tensors, _unflatten_dense_tensors


def make_masters(params):
    flat = nn.Parameter(_flatten_dense_tensors([param.detach().float() for param in params]))
    flat.requires_grad = True
    return [flat]


def grads_to_masters(params, masters):
    masters[0].grad = _flatten_dense_tensors([param.grad.data.detach().float() for param in params])


def masters_to_params(params, masters):
    for param, master in zip(params, _unflatten_dense_tensors(masters[0].detach(), params)):
        param.detach().copy_(master)


def forget(params):
    for param in params:
        if param.grad is not None:
            param.grad.detach_()
            param.grad.zero_()


def any_overflow(params):
    return any(not torch.isfinite(param.grad).all() for param in params)
