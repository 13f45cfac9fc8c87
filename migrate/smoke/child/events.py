"""Keeps what a training process does, in order: backward, reduce, unscale, clip, step, update, mark, read.

Everything is seen by wrapping public functions where they are looked up, so a script runs unchanged and nothing is
computed or read for it: watching adds no graph and no execution. What a function does inside counts as the function:
`xm.reduce_gradients` is one reduce, whatever it calls. Here is what torch itself does; torch_xla is in `events_xla`.
"""

from __future__ import annotations

import contextlib
import functools
import importlib
import os
import sys
import weakref
from collections.abc import Callable, Iterator
from typing import Any

MOST = 10_000
"""Events that are kept: a script that reads every parameter at every step makes millions."""


class Log:
    """The events of this process."""

    def __init__(self, order: dict[str, Any], clock: Callable[[], int], executed: Callable[[], int]) -> None:
        """`clock` tells the steps of the first optimizer, `executed` the graphs that were executed so far."""
        folder = os.path.dirname(order["script"])
        self.folders = {folder, os.path.realpath(folder)}
        self.clock, self.executed = clock, executed
        self.places: dict[str, str] = {}
        self.forget()

    def forget(self) -> None:
        """Start anew."""
        self.items: list[list[Any]] = []
        self.dropped = 0
        self.doing: list[str] = []
        self.optimizers: weakref.WeakKeyDictionary[Any, int] = weakref.WeakKeyDictionary()

    def note(self, kind: str, optimizer: Any = None) -> list[Any]:
        """Keep one event: step, kind, site, optimizer, executed graphs (filled in later), whether a loader did it."""
        item = [self.clock(), kind, self.site(), self.number(optimizer), 0, kind == "mark" and in_loader()]
        if len(self.items) < MOST:
            self.items.append(item)
        else:
            self.dropped += 1
        return item

    @contextlib.contextmanager
    def during(self, kind: str, optimizer: Any = None) -> Iterator[None]:
        """Keep one event with what it executes, and none of its kind for what is called inside."""
        if kind in self.doing:
            yield
            return
        item, before = self.note(kind, optimizer), self.executed()
        self.doing.append(kind)
        try:
            yield
        finally:
            self.doing.remove(kind)
            item[4] = self.executed() - before

    def number(self, optimizer: Any) -> int:
        """Which optimizer, in the order in which they were made; -1 for none."""
        if optimizer is None:
            return -1
        return self.optimizers.setdefault(optimizer, len(self.optimizers))

    def site(self, frame: Any = None) -> str:
        """The line of the script's own folder that is being executed, innermost first: "train.py:42".

        `frame`: where another thread is; None: where this one is.
        """
        frame = frame or sys._getframe(2)
        while frame is not None:
            name = frame.f_code.co_filename
            place = self.places.get(name)
            if place is None:
                place = self.places[name] = self.relative(name)
            if place:
                return f"{place}:{frame.f_lineno}"
            frame = frame.f_back
        return ""

    def relative(self, name: str) -> str:
        """A file's path inside the script's folder; empty for any other file, installed packages among them."""
        for folder in self.folders:
            inside = os.path.relpath(name, folder) if os.path.isabs(name) else ".."
            if not inside.startswith("..") and "site-packages" not in inside:
                return inside
        return ""

    def owner(self, tensors: Any) -> Any:
        """The optimizer whose gradients or parameters these tensors are, wholly or in part; None for other tensors.

        A list is known by identity, by its shapes, or, made flat, by its size: `.grad.data` is a new object each time.
        """
        tensors = list(tensors) if isinstance(tensors, (list, tuple)) else [tensors]
        for optimizer in list(self.optimizers):
            held = [item for group in optimizer.param_groups for item in group["params"]]
            gradients = [item.grad for item in held if item.grad is not None]
            if not {*map(id, held), *map(id, gradients)}.isdisjoint(map(id, tensors)):
                return optimizer
            shapes = [tuple(item.shape) for item in gradients]
            given = [tuple(tensor.shape) for tensor in tensors]
            flat = sum(gradient.numel() for gradient in gradients)
            alone = len(tensors) == 1 and tensors[0].numel() > 1
            if gradients and (sorted(given) == sorted(shapes) or (alone and given[0] in (*shapes, (flat,)))):
                return optimizer
        return None


def in_loader() -> bool:
    """Whether torch_xla's loader is at work."""
    frame: Any = sys._getframe(2)
    while frame is not None:
        if frame.f_globals.get("__name__") == "torch_xla.distributed.parallel_loader":
            return True
        frame = frame.f_back
    return False


def called_by(package: str) -> bool:
    """Whether the function that asks was called from a module of a package."""
    caller: Any = sys._getframe(2)
    return str(caller.f_globals.get("__name__", "")).partition(".")[0] == package


def watch(log: Log, function: Callable[..., Any], kind: str, optimizer: Callable[..., Any]) -> Callable[..., Any]:
    """`function` with an event of `kind`; `optimizer` gives, from the arguments, whose event it is.

    It may give False for "no event". A function that is watched already is returned as it is.
    """
    if getattr(function, "watched", False):
        return function

    @functools.wraps(function)
    def watched(*arguments: Any, **options: Any) -> Any:
        owner = optimizer(*arguments, **options)
        if owner is False:
            return function(*arguments, **options)
        with log.during(kind, owner):
            return function(*arguments, **options)

    watched.watched = True  # type: ignore[attr-defined]
    return watched


def nobody(*arguments: Any, **options: Any) -> None:
    """Whose event it is where that does not matter."""


def install(torch: Any, log: Log) -> None:
    """Watch what torch does."""
    watch_optimizers(torch, log)
    watch_clipping(torch, log)
    for module in (torch.cuda.amp, torch.amp):
        if hasattr(module, "GradScaler"):
            watch_scaler(module.GradScaler, log)
    if torch.distributed.is_available():
        watch_reduction(torch, log)


def watch_optimizers(torch: Any, log: Log) -> None:
    """Number optimizers as they are made; their steps are noted by the observer's hook."""
    start = torch.optim.Optimizer.__init__

    @functools.wraps(start)
    def start_and_number(self: Any, *arguments: Any, **options: Any) -> None:
        log.number(self)
        start(self, *arguments, **options)

    torch.optim.Optimizer.__init__ = start_and_number


def watch_clipping(torch: Any, log: Log) -> None:
    """Gradient clipping; again after torch_xla has put its own function in the place of torch's."""
    for module in (torch.nn.utils, importlib.import_module("torch.nn.utils.clip_grad")):
        for name in ("clip_grad_norm_", "clip_grad_value_"):
            setattr(module, name, watch_clip(log, getattr(module, name)))


def watch_clip(log: Log, clip: Callable[..., Any]) -> Callable[..., Any]:
    """A function that clips. A generator of parameters is made a list, since it can be gone through only once."""
    if getattr(clip, "watched", False):
        return clip

    @functools.wraps(clip)
    def watched(parameters: Any, *arguments: Any, **options: Any) -> Any:
        parameters = parameters if hasattr(parameters, "grad") else list(parameters)
        with log.during("clip", log.owner(parameters)):
            return clip(parameters, *arguments, **options)

    watched.watched = True  # type: ignore[attr-defined]
    return watched


def watch_scaler(scaler: Any, log: Log) -> None:
    """A GradScaler class: `unscale_`, `update`, and `step`, which unscales where the script did not."""

    def enabled(self: Any, optimizer: Any = None, *arguments: Any, **options: Any) -> Any:
        return optimizer if self.is_enabled() else False

    step = scaler.step
    if getattr(step, "watched", False):
        return
    scaler.unscale_ = watch(log, scaler.unscale_, "unscale", enabled)
    scaler.update = watch(log, scaler.update, "update", lambda self, *a, **o: None if self.is_enabled() else False)

    @functools.wraps(step)
    def unscale_and_step(self: Any, optimizer: Any, *arguments: Any, **options: Any) -> Any:
        number = log.number(optimizer)
        before = [item[1] for item in log.items if item[3] == number and item[1] in ("unscale", "step")]
        if self.is_enabled() and before[-1:] != ["unscale"]:
            log.note("unscale", optimizer)
        log.doing.append("unscale")
        try:
            return step(self, optimizer, *arguments, **options)
        finally:
            log.doing.remove("unscale")

    unscale_and_step.watched = True  # type: ignore[attr-defined]
    scaler.step = unscale_and_step


def watch_reduction(torch: Any, log: Log) -> None:
    """`dist.all_reduce` of gradients, and DDP, which reduces in C++ at the end of a backward."""
    distributed = torch.distributed

    def gradients(tensor: Any, *arguments: Any, **options: Any) -> Any:
        return log.owner(tensor) or False

    distributed.all_reduce = watch(log, distributed.all_reduce, "reduce", gradients)
    wrapper = torch.nn.parallel.DistributedDataParallel
    start = wrapper.__init__

    @functools.wraps(start)
    def start_and_remember(self: Any, *arguments: Any, **options: Any) -> None:
        start(self, *arguments, **options)
        reducing.add(self)

    wrapper.__init__ = start_and_remember


reducing: weakref.WeakSet[Any] = weakref.WeakSet()
"""The DDP modules of this process."""


def note_ddp(log: Log) -> None:
    """Right after a backward: DDP has reduced, unless it is told not to."""
    if any(module.require_backward_grad_sync for module in reducing):
        log.note("reduce")
