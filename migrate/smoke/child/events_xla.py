"""Keeps what a training process does through torch_xla, real or stand-in: reduce, mark, unscale, clip, read, mixed."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

from . import events, observe, randomness, reading


def register(callbacks: dict[str, Callable[[Any], None]]) -> None:
    """Watch each module of torch_xla as soon as it is imported, after what `callbacks` do to it already."""
    add(callbacks, "torch_xla.core.xla_model", watch_xla_model)
    add(callbacks, "torch_xla", watch_package)
    add(callbacks, "torch_xla.amp", watch_amp)


def add(callbacks: dict[str, Callable[[Any], None]], name: str, callback: Callable[[Any], None]) -> None:
    """One more callback for a module."""
    first = callbacks.get(name)

    def both(module: Any) -> None:
        if first is not None:
            first(module)
        if observe.current is not None:
            callback(module)

    callbacks[name] = both


def watch_xla_model(xla_model: Any) -> None:
    """`xm`: reductions, marks, and the seed of the device's random numbers."""
    log = observe.log()
    fetched: list[Any] = []
    """The optimizer whose gradients were fetched last, and how many there were."""
    fetch = xla_model._fetch_gradients

    def fetch_and_remember(optimizer: Any) -> Any:
        gradients = fetch(optimizer)
        fetched[:] = [optimizer, len(gradients)]
        return gradients

    def gradients(reduce_type: Any, inputs: Any, *arguments: Any, **options: Any) -> Any:
        if fetched and isinstance(inputs, (list, tuple)) and len(inputs) == fetched[1]:
            return fetched[0]
        return log.owner(inputs) or False

    xla_model._fetch_gradients = fetch_and_remember
    xla_model.all_reduce = events.watch(log, xla_model.all_reduce, "reduce", gradients)
    xla_model.reduce_gradients = events.watch(
        log, xla_model.reduce_gradients, "reduce", lambda optimizer, *arguments, **options: optimizer
    )
    xla_model.mark_step = events.watch(log, xla_model.mark_step, "mark", events.nobody)
    xla_model.set_rng_state = randomness.watch_seed(xla_model.set_rng_state, "device")


def watch_package(torch_xla: Any) -> None:
    """`torch_xla.sync` under its two names, and what `import torch_xla` put in the place of torch's functions."""
    log = observe.log()
    torch = sys.modules["torch"]
    for module in (torch_xla, sys.modules.get("torch_xla.torch_xla")):
        if hasattr(module, "sync"):
            module.sync = events.watch(log, module.sync, "mark", events.nobody)  # type: ignore[union-attr]
    events.watch_clipping(torch, log)
    standin = sys.modules.get("tc_migrate_child.standin")
    recording = getattr(getattr(standin, "device", None), "recording", None)
    if recording is not None:
        recording.listeners.append(lambda kind, operator: hear(log, kind))
    # The plain stand-in executes no graphs, so a read costs nothing there, and it is to run at full speed on a GPU.
    if standin is None or recording is not None:
        reading.install(torch, log)


def hear(log: events.Log, kind: str) -> None:
    """What the recording stand-in tells besides: reads inside operators, and uses of a tensor of the host."""
    if "read" not in log.doing:
        log.note(kind)


def watch_amp(amp: Any) -> None:
    """torch_xla's own GradScaler, which inherits from torch's or does not."""
    if hasattr(amp, "GradScaler"):
        events.watch_scaler(amp.GradScaler, observe.log())
        observe.watch_grad_scaler(amp.GradScaler)
