"""Tells what a training process holds beside its parameters in the end: what its optimizers and schedulers remember,
and copies of the model such as moving averages.

All is told as `parameters.describe` tells a parameter: a number is a tensor of one element.
"""

from __future__ import annotations

import functools
import gc
import importlib
import numbers
from collections.abc import Iterator
from typing import Any

from . import counters, parameters

schedulers: list[Any] = []
"""In the order in which they were made; kept, since the function that made one may have returned."""
MOST_COPIES = 8


def install(torch: Any) -> None:
    """Remember every scheduler that is made. `ReduceLROnPlateau` is a class by itself in older torch."""
    module = importlib.import_module("torch.optim.lr_scheduler")
    kinds = {getattr(module, "LRScheduler", module._LRScheduler), module.ReduceLROnPlateau}
    for kind in kinds:
        if "__init__" in vars(kind):
            kind.__init__ = remembering(kind.__init__)


def remembering(start: Any) -> Any:
    """A scheduler's `__init__` that remembers it, once."""

    @functools.wraps(start)
    def start_and_remember(self: Any, *arguments: Any, **options: Any) -> None:
        if not any(known is self for known in schedulers):
            schedulers.append(self)
        start(self, *arguments, **options)

    return start_and_remember


def forget() -> None:
    """Start anew, in a forked process."""
    schedulers.clear()


def summarise(torch: Any, optimizers: list[Any], names: list[dict[int, str]]) -> dict[str, Any]:
    """What a result has of it."""
    named = {identity: name for known in names for identity, name in known.items()}
    return {
        "optimizer_state": [
            item for index, one in enumerate(optimizers) for item in describe_optimizer(torch, one, index, named)
        ],
        "schedulers": [
            item for index, scheduler in enumerate(schedulers) for item in describe_scheduler(torch, scheduler, index)
        ],
    }


def describe_optimizer(torch: Any, optimizer: Any, index: int, named: dict[int, str]) -> Iterator[dict[str, Any]]:
    """Its options, group by group, and what it remembers of each parameter."""
    for place, group in enumerate(optimizer.param_groups):
        for key, value in group.items():
            if key not in ("params", "capturable", "foreach", "fused", "differentiable"):  # ways, not amounts
                yield from describe_value(torch, value, f"{key} of group {place + 1} of optimizer {index + 1}")
    held = (parameter for group in optimizer.param_groups for parameter in group["params"])
    for place, parameter in enumerate(held):
        # LBFGS and those like it keep lists of earlier steps, of which as many differ by rounding alone.
        kept = optimizer.state.get(parameter, {})
        whose = f"{named.get(id(parameter)) or f'#{place}'} in optimizer {index + 1}"
        for key, value in kept.items():
            if isinstance(value, (torch.Tensor, numbers.Real)):
                yield from describe_value(torch, value, f"{key} of {whose}")


def describe_scheduler(torch: Any, scheduler: Any, index: int) -> Iterator[dict[str, Any]]:
    """The numbers that it would save."""
    for key, value in sorted(scheduler.state_dict().items()):
        yield from describe_value(torch, value, f"{key} of scheduler {index + 1}")


def describe_value(torch: Any, value: Any, name: str) -> Iterator[dict[str, Any]]:
    """A tensor, a number or a list of numbers; nothing for anything else."""
    if isinstance(value, torch.Tensor):
        yield parameters.describe(value, name)
    elif isinstance(value, numbers.Real):
        yield parameters.describe(torch.tensor([float(value)], dtype=torch.float64), name)
    elif isinstance(value, (list, tuple)) and value and all(isinstance(item, numbers.Real) for item in value):
        yield parameters.describe(torch.tensor([float(item) for item in value], dtype=torch.float64), name)


class Copies:
    """What was found beside the trained parameters that is like them: modules, dictionaries and lists of tensors.

    They are looked for now and then, and kept: a function's own are gone when it has returned.
    """

    def __init__(self, torch: Any) -> None:
        self.torch = torch
        self.found: list[Any] = []

    def look(self, optimizers: list[Any], step: int) -> None:
        """Look again after the first, second, fourth, eighth ... step. Ranks that are threads see each other's."""
        if step & (step - 1) or counters.in_replicas():
            return
        held = [parameter for one in optimizers for group in one.param_groups for parameter in group["params"]]
        trained = set(map(id, held))
        known = set(map(id, self.found))
        shapes = sorted(tuple(item.shape) for item in held)
        found = [*self.modules(trained), *loose_copies(self.torch, trained, shapes)]
        self.found += [item for item in found if id(item) not in known][: MOST_COPIES - len(self.found)]

    def modules(self, trained: set[int]) -> Iterator[Any]:
        """Outermost modules that have parameters, none of them trained."""
        for module in parameters.outermost(self.torch):
            own = list(map(id, module.parameters()))
            if own and trained.isdisjoint(own):
                yield module

    def summarise(self) -> Iterator[list[dict[str, Any]]]:
        """Each in brief, as it is now."""
        for item in self.found:
            if isinstance(item, self.torch.nn.Module):
                values = {**dict(item.named_parameters()), **dict(item.named_buffers())}
            else:
                values = dict(item) if isinstance(item, dict) else dict(enumerate(item))
            tensors = {key: value for key, value in values.items() if isinstance(value, self.torch.Tensor)}
            yield [parameters.describe(value, f"{type(item).__name__}.{key}") for key, value in tensors.items()]


def loose_copies(torch: Any, trained: set[int], shapes: list[tuple[int, ...]]) -> Iterator[Any]:
    """Dictionaries and lists of as many tensors, of the same shapes, as are trained: averages that a script keeps."""
    parameter, tensor = torch.nn.Parameter, torch.Tensor
    for item in gc.get_objects():
        if type(item) not in (dict, list) or len(item) != len(shapes) or not shapes:
            continue
        values = list(item.values()) if type(item) is dict else item
        if not all(isinstance(value, tensor) and not isinstance(value, parameter) for value in values):
            continue
        if trained.isdisjoint(map(id, values)) and sorted(tuple(value.shape) for value in values) == shapes:
            yield item
