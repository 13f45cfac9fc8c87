"""What xla_model offers to combine tensors over the workers. In a world of one each does what torch_xla does there."""

from __future__ import annotations

import itertools
from typing import Any

import torch

from . import world
from .pending import collective


@collective
def all_reduce(
    reduce_type: str,
    inputs: Any,
    scale: float = 1.0,
    groups: Any = None,
    cctx: Any = None,
    pin_layout: bool = True,
) -> Any:
    """Reduce a list of tensors in place, or one tensor into a new one; with one worker nothing, not even the scale."""
    single = isinstance(inputs, torch.Tensor)
    if world.size == 1:
        return inputs.clone() if single else inputs
    reduced = [inputs] if single else inputs
    alone = len(world.members(groups)) == 1
    with torch.no_grad():
        results = [each.detach().clone() if alone else world.reduce(reduce_type, each) for each in reduced]
        if scale != 1.0:
            results = [each.mul_(scale) for each in results]
        if single:
            return results[0]
        for each, result in zip(inputs, results):
            each.copy_(result)
    return inputs


@collective
def all_gather(
    value: Any,
    dim: int = 0,
    groups: Any = None,
    output: Any = None,
    pin_layout: bool = True,
    channel_id: Any = None,
    use_global_device_ids: Any = None,
) -> Any:
    """The tensors of all workers, one after the other along `dim`."""
    if not isinstance(value, torch.Tensor):
        raise NotImplementedError("the stand-in gathers one tensor at a time")
    if len(world.members(groups)) == 1:
        # torch_xla pads by the shares of the other workers, and sums.
        result = torch.nn.functional.pad(value, [0] * (2 * value.dim())).clone()
    else:
        result = torch.cat(world.gather(value), dim)
    return result if output is None else output.copy_(result)


@collective
def reduce_scatter(
    reduce_type: str,
    input: Any,
    scale: float,
    scatter_dim: int,
    shard_count: int,
    groups: Any = None,
    output: Any = None,
    pin_layout: bool = True,
    channel_id: Any = None,
    use_global_device_ids: Any = None,
) -> Any:
    """This worker's share, along `scatter_dim`, of the reduced and scaled input."""
    if not isinstance(input, torch.Tensor):
        raise NotImplementedError("the stand-in scatters one tensor at a time")
    own = world.members(groups)
    total = (world.reduce(reduce_type, input) if len(own) > 1 else input.detach().clone()) * scale
    share = total.chunk(shard_count, scatter_dim)[own.index(world.rank)]
    return share.clone() if output is None else output.copy_(share)


def collective_broadcast(tensors: Any, root_ordinal: int = 0, groups: Any = None, pin_layout: bool = True) -> None:
    """Give all workers the values of one: as in torch_xla the others multiply theirs by zero, then all are summed."""
    with torch.no_grad():
        for tensor in tensors:
            factor = torch.tensor(1 if world.rank == root_ordinal else 0, dtype=tensor.dtype)
            tensor.mul_(send(factor))
    all_reduce("sum", tensors, groups=groups)


def send(tensor: Any) -> Any:
    """A tensor uploaded to the device."""
    from tc_migrate_child import standin  # the package is complete by the time that this is called

    return standin.device.send(tensor)


@collective
def all_to_all(
    value: Any, split_dimension: int, concat_dimension: int, split_count: int, groups: Any = None,
    pin_layout: bool = True,
) -> Any:  # fmt: skip
    """Each worker's i-th part goes to worker i."""
    own = world.members(groups)
    parts = world.gather(value) if len(own) > 1 else [value]
    shares = [part.chunk(split_count, split_dimension)[own.index(world.rank)] for part in parts]
    return torch.cat(shares, concat_dimension)


@collective
def collective_permute(value: Any, pairs: Any) -> Any:
    """The tensor of the worker that sends to this one; zeros when none does."""
    parts = world.gather(value)
    source = next((source for source, destination in pairs if destination == world.rank), None)
    return torch.zeros_like(value) if source is None else parts[source].clone()


def parameters_and_buffers(model: Any) -> list[Any]:
    """All tensors of a module."""
    return list(itertools.chain(model.parameters(), model.buffers()))
