"""Sees a script take values from an XLA device to the host: each waits for the device, and most execute a graph.

The methods of torch.Tensor and the few functions through which values come to Python are wrapped, and an index by a
mask, whose length only the values tell. What C++ reads besides (`torch.save`) shows only in the number of executions.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from .events import Log

METHODS = (
    "item", "tolist", "numpy", "cpu", "__array__", "__bool__", "__int__", "__float__", "__index__", "__complex__",
    "__repr__", "__format__", "nonzero", "unique", "masked_select", "equal", "allclose",
)  # fmt: skip
FUNCTIONS = ("nonzero", "unique", "masked_select", "equal", "allclose")


def install(torch: Any, log: Log) -> None:
    """Watch tensors being read. Only tensors of an XLA device cost more than one comparison."""
    tensor = torch.Tensor
    for name in METHODS:
        if hasattr(tensor, name):
            setattr(tensor, name, watch(log, getattr(tensor, name)))
    for name in FUNCTIONS:
        setattr(torch, name, watch(log, getattr(torch, name)))
    move = tensor.to

    @functools.wraps(move)
    def to(self: Any, *arguments: Any, **options: Any) -> Any:
        if self.device.type == "xla" and goes_to_host(torch, options.get("device", arguments[:1] and arguments[0])):
            with log.during("read"):
                return move(self, *arguments, **options)
        return move(self, *arguments, **options)

    tensor.to = to
    get = tensor.__getitem__

    @functools.wraps(get)
    def get_item(self: Any, index: Any) -> Any:
        if has_mask(torch, index) and self.device.type == "xla":
            with log.during("read"):
                return get(self, index)
        return get(self, index)

    tensor.__getitem__ = get_item


def has_mask(torch: Any, index: Any) -> bool:
    """Whether an index has a tensor of booleans, alone or among others."""
    parts = index if type(index) is tuple else (index,)
    return any(isinstance(part, torch.Tensor) and part.dtype in (torch.bool, torch.uint8) for part in parts)


def goes_to_host(torch: Any, place: Any) -> bool:
    """Whether `.to(place)` asks for the CPU."""
    if isinstance(place, (str, torch.device)):
        return str(place).split(":")[0] == "cpu"
    return isinstance(place, torch.Tensor) and place.device.type == "cpu"


def watch(log: Log, function: Callable[..., Any]) -> Callable[..., Any]:
    """`function` of a tensor, as a read where the tensor is on an XLA device."""

    @functools.wraps(function)
    def read(self: Any, *arguments: Any, **options: Any) -> Any:
        device = getattr(self, "device", None)
        if device is None or device.type != "xla":
            return function(self, *arguments, **options)
        with log.during("read"):
            return function(self, *arguments, **options)

    return read
