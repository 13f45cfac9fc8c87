"""Computes in float64 what the script computes in float32, on either side, for `--strict`.

Rounding is then 1e-16 instead of 1e-7, and a training that is chaotic in float32 can still be compared. The script says
float32 in many ways: by default, by `torch.float32`, `.float()`, `torch.FloatTensor`, or by data that come from numpy.
All of them mean float64 here. Names and methods are replaced, no operator is, so nothing is slowed down but the
arithmetic itself.

Left as they are: tensors that `torch.load` brings, until a loader or a module takes them, and what C++ makes in
float32 on its own. A matrix product of both kinds raises, so nothing is computed in half of each.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from typing import Any

FROM_OUTSIDE = ("tensor", "as_tensor", "from_numpy", "asarray", "frombuffer")
"""Functions whose result has the type of what they are given."""
NARROW = ("float", "half", "bfloat16")


def install(torch: Any) -> None:
    """Make float32 mean float64 in this process, for good."""
    single = torch.float32
    # These tables are made on first use, by the names that are changed below.
    for table in ("_dtype_to_storage_type_map", "_storage_type_to_dtype_map", "_new_dtypes"):
        getattr(torch.storage, table, dict)()
    torch.set_default_dtype(torch.float64)
    torch.float32 = torch.float = torch.float64
    torch.FloatTensor, torch.HalfTensor = torch.DoubleTensor, torch.DoubleTensor
    for name in NARROW:
        setattr(torch.Tensor, name, lambda self, *arguments, **options: self.double(*arguments, **options))
        setattr(torch.nn.Module, name, lambda self: self.double())
    for name in FROM_OUTSIDE:
        setattr(torch, name, widened(getattr(torch, name), single))
    for owner in (torch.Tensor, torch.nn.Module):
        owner.type = by_name(owner.type)
    torch.set_default_tensor_type = by_name(torch.set_default_tensor_type)
    for module in (torch.cuda.amp, torch.amp):
        if hasattr(module, "GradScaler"):
            scale_by_one(module.GradScaler)


def scale_by_one(scaler: Any) -> None:
    """Turn every GradScaler off: float64 needs none, and torch_xla 2.1 cannot compile its arithmetic in float64."""
    start = scaler.__init__

    @functools.wraps(start)
    def start_disabled(self: Any, *arguments: Any, **options: Any) -> None:
        start(self, *arguments, **options)
        self._enabled = False

    scaler.__init__ = start_disabled


def widened(function: Callable[..., Any], single: Any) -> Callable[..., Any]:
    """A function that makes a tensor, in float64 where it would be float32."""

    @functools.wraps(function)
    def make(*arguments: Any, **options: Any) -> Any:
        made = function(*arguments, **options)
        if made.dtype is not single:
            return made
        return made.detach().double().requires_grad_(made.requires_grad)

    return make


def by_name(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function that takes the name of a tensor type: "torch.DoubleTensor" for "torch.FloatTensor"."""

    @functools.wraps(function)
    def call(*arguments: Any, **options: Any) -> Any:
        return function(*(rename(value) for value in arguments), **options)

    return call


def rename(value: Any) -> Any:
    """The name of a tensor type, widened; anything else unchanged."""
    if not isinstance(value, str):
        return value
    return value.replace("FloatTensor", "DoubleTensor").replace("HalfTensor", "DoubleTensor")


def widen(torch: Any, batch: Any) -> Any:
    """A batch with its floating-point tensors in float64; containers that cannot be rebuilt are left alone."""
    if isinstance(batch, torch.Tensor):
        return batch.double() if batch.is_floating_point() else batch
    if type(batch) in (list, tuple):
        return type(batch)(widen(torch, value) for value in batch)
    if isinstance(batch, tuple) and hasattr(batch, "_fields"):
        return type(batch)(*(widen(torch, value) for value in batch))
    if isinstance(batch, Mapping) and hasattr(batch, "__setitem__"):
        for key in list(batch):
            batch[key] = widen(torch, batch[key])
    return batch
