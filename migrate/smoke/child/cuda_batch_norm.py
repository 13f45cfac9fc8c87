"""SyncBatchNorm on the host: the batch statistics of all ranks, with a gradient that goes back to all of them.

torch's own insists on a GPU. In a world of one it is the plain batch norm.
"""

from __future__ import annotations

import importlib
from typing import Any


def install(torch: Any) -> None:
    """Replace its forward, and its check of the input's dimensions, which forbids what torch's own forward allows."""
    synchronised = torch.nn.SyncBatchNorm
    plain = torch.nn.modules.batchnorm._BatchNorm.forward
    distributed = torch.distributed

    def forward(self: Any, batch: Any) -> Any:
        joined = distributed.is_available() and distributed.is_initialized()
        if not self.training or not joined or distributed.get_world_size(self.process_group) == 1:
            return plain(self, batch)
        return normalise(torch, self, batch)

    synchronised.forward = forward
    synchronised._check_input_dim = lambda self, input: None


def normalise(torch: Any, layer: Any, batch: Any) -> Any:
    """One training step of the layer, over the batches of all ranks. They may be of different sizes."""
    exchange = importlib.import_module("torch.distributed.nn.functional")
    others = [dim for dim in range(batch.dim()) if dim != 1]
    values = batch.double()  # the difference of two sums would lose digits in float32
    size = values.new_tensor([batch.numel() / batch.shape[1]])
    group = layer.process_group or torch.distributed.group.WORLD
    sums = exchange.all_reduce(torch.cat([values.sum(others), values.square().sum(others), size]), group=group)
    count = sums[-1].detach()
    mean, square = (part / count for part in sums[:-1].chunk(2))
    variance = square - mean.square()
    if layer.track_running_stats:
        with torch.no_grad():
            layer.num_batches_tracked.add_(1)
            share = layer.momentum if layer.momentum is not None else 1 / float(layer.num_batches_tracked)
            layer.running_mean.lerp_(mean.to(layer.running_mean.dtype), share)
            unbiased = variance * count / (count - 1)
            layer.running_var.lerp_(unbiased.to(layer.running_var.dtype), share)
    shape = [1, -1] + [1] * (batch.dim() - 2)
    result = ((values - mean.view(shape)) / (variance + layer.eps).sqrt().view(shape)).to(batch.dtype)
    return result * layer.weight.view(shape) + layer.bias.view(shape) if layer.affine else result
