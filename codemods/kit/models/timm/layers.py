"""timm.layers: layers, and how they are filled."""

from torch.nn import Leaf

from .models import to_2tuple, trunc_normal_


def __getattr__(name):
    return Leaf
