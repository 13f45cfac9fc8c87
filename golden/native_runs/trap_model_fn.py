"""A builder of models that is called model_fn, and is no endpoint's."""
import torch


def model_fn(width, depth):
    layers = [torch.nn.Linear(width, width) for _ in range(depth)]
    return torch.nn.Sequential(*layers).cuda()
