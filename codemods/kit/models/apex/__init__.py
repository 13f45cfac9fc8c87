"""NVIDIA's apex: mixed precision of before torch had its own, fused optimizers, a wrapper for parallel training."""

from . import amp, normalization, optimizers, parallel
