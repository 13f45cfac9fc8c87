"""Sees on the stand-in which reads and marks would execute a collective, where processes have tensors of plain torch.

A collective of torch_xla is a node of the graph until a mark, or a read of what was computed from it, executes it. The
stand-in exchanges values at once, so a rank that reads alone waits for nobody here, and for good on XLA. What was
computed from a collective since the last mark is therefore remembered, by the memory it is in, and each execution that
would have one is noted as an event. `migrate.smoke.exchanges` compares the ranks' events.
"""

from __future__ import annotations

import functools
import importlib
from collections.abc import Callable, Iterator
from typing import Any

from .. import observe, reading
from . import world

modes: list[Any] = []
"""The mode that is on, kept alive: torch does not."""
memories: dict[int, Any] = {}
"""Weak references to the memory of what depends on a pending collective, by its address, which is kept by them."""
tools: dict[str, Any] = {}


def install(torch: Any) -> None:
    """Follow what is computed from collectives, in this thread, and watch it being read."""
    python_dispatch: Any = importlib.import_module("torch.utils._python_dispatch")
    tools["reference"] = importlib.import_module("torch.multiprocessing.reductions").StorageWeakRef
    tools["flatten"] = importlib.import_module("torch.utils._pytree").tree_flatten
    tools["tensor"] = torch.Tensor

    class Follow(python_dispatch.TorchDispatchMode):  # type: ignore[misc]
        def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            result = func(*args, **(kwargs or {}))
            if memories and any(map(depends, tensors((args, kwargs)))):
                remember(result)
            return result

    mode = Follow()
    mode.__enter__()
    modes.append(mode)
    for name in reading.METHODS:
        if hasattr(torch.Tensor, name):
            setattr(torch.Tensor, name, watch_read(getattr(torch.Tensor, name)))
    move = torch.Tensor.to
    moved = watch_read(move)

    @functools.wraps(move)
    def to(self: Any, *arguments: Any, **options: Any) -> Any:
        host = reading.goes_to_host(torch, options.get("device", arguments[:1] and arguments[0]))
        return (moved if host else move)(self, *arguments, **options)

    torch.Tensor.to = to


def tensors(values: Any) -> Iterator[Any]:
    """All tensors in nested containers."""
    return (each for each in tools["flatten"](values)[0] if isinstance(each, tools["tensor"]))


def depends(tensor: Any) -> bool:
    """Whether a tensor depends on a pending collective."""
    try:
        return tensor.untyped_storage()._cdata in memories
    except (NotImplementedError, RuntimeError):  # sparse tensors
        return False


def remember(values: Any) -> None:
    """These tensors depend on a pending collective."""
    for tensor in tensors(values):
        try:
            memory = tensor.untyped_storage()
        except (NotImplementedError, RuntimeError):
            continue
        memories.setdefault(memory._cdata, tools["reference"](memory))


def collective(function: Callable[..., Any]) -> Callable[..., Any]:
    """A collective: what it returns is pending."""

    @functools.wraps(function)
    def followed(*arguments: Any, **options: Any) -> Any:
        result = function(*arguments, **options)
        if modes and world.size > 1:
            remember(result)
        return result

    return followed


def watch_read(function: Callable[..., Any]) -> Callable[..., Any]:
    """A method that takes a tensor's value to the host; what it returns depends on nothing."""

    @functools.wraps(function)
    def read(self: Any, *arguments: Any, **options: Any) -> Any:
        if not memories or not depends(self):
            return function(self, *arguments, **options)
        if observe.current is not None and "exchange-read" not in observe.log().doing:
            with observe.log().during("exchange-read"):
                result = function(self, *arguments, **options)
        else:
            result = function(self, *arguments, **options)
        for tensor in tensors(result):
            if not shares(tensor, self):
                memories.pop(tensor.untyped_storage()._cdata, None)
        return result

    return read


def shares(one: Any, other: Any) -> bool:
    """Whether two tensors are in one memory."""
    return bool(one.untyped_storage()._cdata == other.untyped_storage()._cdata)


def mark() -> None:
    """The pending collectives are executed."""
    if memories:
        if observe.current is not None:
            observe.log().note("exchange-mark")
        memories.clear()
