"""torch_xla.utils.checkpoint: activation checkpointing. torch's own fails on xla tensors, which this one replaces."""

from __future__ import annotations

from typing import Any

import torch


class CheckpointFunction(torch.autograd.Function):
    """Runs a function without keeping its intermediate results, and once more for its backward."""

    @staticmethod
    def forward(ctx: Any, run_function: Any, preserve_rng_state: bool, *args: Any) -> Any:
        ctx.function, ctx.preserve = run_function, preserve_rng_state
        if preserve_rng_state:
            ctx.state = torch.get_rng_state()
        ctx.places = [index for index, each in enumerate(args) if isinstance(each, torch.Tensor)]
        ctx.others = [None if index in ctx.places else each for index, each in enumerate(args)]
        ctx.save_for_backward(*(args[index] for index in ctx.places))
        with torch.no_grad():
            return run_function(*args)

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        inputs = list(ctx.others)
        for index, saved in zip(ctx.places, ctx.saved_tensors):
            inputs[index] = saved.detach().requires_grad_(saved.requires_grad)
        now = torch.get_rng_state()
        if ctx.preserve:
            torch.set_rng_state(ctx.state)
        with torch.enable_grad():
            outputs = ctx.function(*inputs)
        if ctx.preserve:
            torch.set_rng_state(now)
        outputs = (outputs,) if isinstance(outputs, torch.Tensor) else outputs
        pairs = [
            (output, gradient)
            for output, gradient in zip(outputs, gradients)
            if isinstance(output, torch.Tensor) and output.requires_grad
        ]
        if not pairs:
            raise RuntimeError("none of output has requires_grad=True, this checkpoint() is not necessary")
        torch.autograd.backward([output for output, _ in pairs], [gradient for _, gradient in pairs])
        return (None, None, *(each.grad if isinstance(each, torch.Tensor) else None for each in inputs))


def checkpoint(function: Any, *args: Any, use_reentrant: bool = True, **kwargs: Any) -> Any:
    preserve = kwargs.pop("preserve_rng_state", True)
    if not use_reentrant:
        raise NotImplementedError("the stand-in has no checkpoint with use_reentrant=False")
    if kwargs:
        raise ValueError("Unexpected keyword arguments: " + ",".join(kwargs))
    return CheckpointFunction.apply(function, preserve, *args)


def checkpoint_sequential(functions: Any, segments: int, *inputs: Any, **kwargs: Any) -> Any:
    """All segments but the last are checkpointed."""
    modules = list(functions.children()) if isinstance(functions, torch.nn.Sequential) else list(functions)
    length = len(modules) // segments

    def run(first: int, last: int) -> Any:
        def forward(*given: Any) -> Any:
            for module in modules[first:last]:
                given = (module(*given),)
            return given[0]

        return forward

    for start in range(0, length * (segments - 1), length):
        inputs = (checkpoint(run(start, start + length), *inputs, **kwargs),)
    return run(length * (segments - 1), len(modules))(*inputs)
