"""Layers of apex, where it is installed."""

__all__ = ["Norm"]

try:
    from apex.normalization import FusedLayerNorm as Norm
except ModuleNotFoundError:
    from torch.nn import LayerNorm as Norm
