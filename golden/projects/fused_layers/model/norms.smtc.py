"""Layers of apex, where it is installed."""

__all__ = ["Norm"]

from torch.nn import LayerNorm as Norm
