import torch
from torch_xla.utils.checkpoint import checkpoint


def forward(block, x):
    return checkpoint(block, x)
