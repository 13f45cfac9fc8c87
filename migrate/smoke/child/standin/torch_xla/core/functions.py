"""torch_xla.core.functions: collectives that a gradient flows through."""

from __future__ import annotations

from typing import Any

import torch
import torch_xla.core.xla_model as xm
from tc_migrate_child.standin import world


class AllReduce(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, input: Any, reduce_type: str, scale: float, groups: Any, pin_layout: bool) -> Any:
        ctx.given = (reduce_type, scale, groups)
        return xm.all_reduce(reduce_type, input, scale=scale, groups=groups)

    @staticmethod
    def backward(ctx: Any, gradient: Any) -> Any:
        reduce_type, scale, groups = ctx.given
        return xm.all_reduce(reduce_type, gradient, scale=scale, groups=groups), None, None, None, None


class AllGather(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, input: Any, dim: int) -> Any:
        ctx.dim = dim
        return xm.all_gather(input, dim=dim)

    @staticmethod
    def backward(ctx: Any, gradient: Any) -> Any:
        return xm.reduce_scatter("sum", gradient, 1.0, ctx.dim, world.size), None


def all_reduce(
    reduce_type: str, value: Any, scale: float = 1.0, groups: Any = None, cctx: Any = None, pin_layout: bool = True
) -> Any:
    return AllReduce.apply(value, reduce_type, scale, groups, pin_layout)


def all_gather(value: Any, dim: int = 0) -> Any:
    return AllGather.apply(value, dim)


def nms(boxes: Any, scores: Any, score_threshold: Any, iou_threshold: Any, output_size: Any) -> Any:
    raise NotImplementedError("the stand-in has no torch_xla.core.functions.nms")


class SyncBatchNorm(torch.nn.Module):
    """Batch norm by the statistics of all workers' batches."""

    def __init__(self, num_features: int, eps: float = 1e-5, momentum: float = 0.1) -> None:
        super().__init__()
        self.eps, self.momentum = eps, momentum
        self.weight = torch.nn.Parameter(torch.ones(num_features))
        self.bias = torch.nn.Parameter(torch.zeros(num_features))
        self.register_buffer("running_mean", torch.zeros(num_features))
        self.register_buffer("running_var", torch.ones(num_features))

    def forward(self, batch: Any) -> Any:
        if not self.training:
            return torch.nn.functional.batch_norm(
                batch, self.running_mean, self.running_var, self.weight, self.bias, False, 0.0, self.eps
            )
        others = [dim for dim in range(batch.dim()) if dim != 1]
        mean = all_reduce("sum", batch.mean(others), scale=1.0 / world.size)
        square = all_reduce("sum", (batch * batch).mean(others), scale=1.0 / world.size)
        variance = square - mean * mean
        count = batch.numel() // batch.shape[1] * world.size
        with torch.no_grad():
            self.running_mean.lerp_(mean, self.momentum)
            self.running_var.lerp_(variance * count / max(count - 1, 1), self.momentum)
        shape = [1, -1] + [1] * (batch.dim() - 2)
        result = (batch - mean.view(shape)) * (variance + self.eps).rsqrt().view(shape)
        return result * self.weight.view(shape) + self.bias.view(shape)
