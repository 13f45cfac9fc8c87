"""Watches a training script from inside: optimizer steps, losses, gradients, final parameters, executed graphs.

What it does in which order is in `events`, its loaders in `loading`, its random numbers in `randomness`, its autocast
regions in `precision`.

Nothing is read from the device before the script has ended or has done the steps that were asked for, so watching
costs no execution: the losses are kept as copies on the device. The result is one JSON file per process.
"""

from __future__ import annotations

import atexit
import functools
import importlib
import json
import os
import sys
import threading
import time
from pathlib import Path
from typing import Any

from . import counters, deeds, events, loading, parameters, pinning, precision, randomness, served, states, written

current: Observer | None = None


class Observer:
    """What was seen in this process."""

    def __init__(self, torch: Any, order: dict[str, Any]) -> None:
        self.torch, self.order = torch, order
        self.log = events.Log(order, lambda: self.done, counters.executed_graphs)
        self.forget()

    def forget(self) -> None:
        """Start anew: what a forked process inherits was done by its parent."""
        self.optimizers: list[Any] = []
        self.counts: list[int] = []
        self.roots: list[tuple[int, Any]] = []
        self.gradients: list[Any] = []
        self.graphs: list[list[int]] = []
        self.times: list[float] = []
        self.names: list[dict[int, str]] = []
        self.buffers: dict[str, tuple[Any, str]] = {}
        self.copies = states.Copies(self.torch)
        self.graded: set[int] = set()
        self.noise = self.torch.Generator()
        self.noise.manual_seed(1)
        self.rank = 0
        self.in_backward = False
        self.finished = False
        self.log.forget()
        loading.passes.clear()
        randomness.seeded.clear()
        randomness.drawn.clear()
        pinning.sources.clear()
        states.forget()
        precision.coverage[:] = [0, 0]

    @property
    def done(self) -> int:
        """Steps of the first optimizer so far."""
        return self.counts[0] if self.counts else 0

    def note_gradients(self, optimizer: Any, *arguments: Any) -> None:
        """Keep the norm of what an optimizer is about to step by: Adam hides a gradient of the wrong size."""
        held = [item for group in optimizer.param_groups for item in group["params"] if item.grad is not None]
        self.graded.update(map(id, held))
        gradients = [item.grad.detach() for item in held]
        dense = [gradient.coalesce().values() if gradient.is_sparse else gradient for gradient in gradients]
        norms = [gradient.float().norm() for gradient in dense]
        if len({norm.device for norm in norms}) > 1:
            norms = [norm.cpu() for norm in norms]
        self.gradients.append(self.torch.stack(norms).norm() if norms else 0.0)

    def note_step(self, optimizer: Any, *arguments: Any) -> None:
        """Count one optimizer step; end the process when the first optimizer has done as many as were asked for."""
        self.log.note("step", optimizer)
        index = next((index for index, known in enumerate(self.optimizers) if known is optimizer), None)
        if index is None:
            index = len(self.optimizers)
            self.optimizers.append(optimizer)
            self.counts.append(0)
            self.names.append(parameters.name_parameters(self.torch, optimizer))
            self.keep_buffers(parameters.find_buffers(self.torch, optimizer))
            self.rank = own_rank(self.torch)
        self.counts[index] += 1
        unscaled.clear()
        if self.order["perturb"]:
            self.disturb(optimizer)
        if index == 0:
            self.graphs.append(counters.count_graphs())
            self.copies.look(self.optimizers, self.counts[0])
            self.times.append(time.perf_counter())
            if self.counts[0] == self.order["steps"]:
                self.finish(complete=True, stopped=True)
                stop()

    def keep_buffers(self, found: dict[str, tuple[Any, str]]) -> None:
        """Remember where another optimizer's buffers are: a generator's and a discriminator's may be called alike."""
        known = {id(part) for part, _ in self.buffers.values()}
        for path, (part, name) in found.items():
            if id(part) not in known:
                path = f"{path} ({len(self.optimizers)})" if path in self.buffers else path
                self.buffers[path] = (part, name)

    def disturb(self, optimizer: Any) -> None:
        """Change every parameter by a random part of itself, as another order of summation might."""
        with self.torch.no_grad():
            for parameter in (item for group in optimizer.param_groups for item in group["params"]):
                if parameter.is_floating_point():
                    noise = self.torch.randn(tuple(parameter.shape), generator=self.noise, dtype=parameter.dtype)
                    parameter.mul_(1 + self.order["perturb"] * noise.to(parameter.device))

    def note_backward(self, tensors: Any, gradients: Any) -> None:
        """Keep the value that is differentiated: a copy, since scripts go on to divide or reduce it in place."""
        step = self.done
        tensors = [tensors] if isinstance(tensors, self.torch.Tensor) else list(tensors)
        gradients = [gradients] if isinstance(gradients, self.torch.Tensor) else list(gradients or [])
        for index, tensor in enumerate(tensors):
            value = unscaled.pop(id(tensor), (tensor, tensor))[1].detach()
            if value.numel() != 1 and index < len(gradients) and gradients[index] is not None:
                value = (value * gradients[index].detach()).sum()
            self.roots.append((step, value.clone()))

    def finish(self, complete: bool, stopped: bool = False) -> None:
        """Write the result, once. `complete` says that the script did not fail."""
        if self.finished:
            return
        self.finished = True
        if not complete and counters.in_replicas():
            # Its time is over: another rank may be waited for on the device, and nothing can be read.
            self.roots, self.gradients, self.optimizers = [], [], []
        # First, since reading a loss from the device is an execution and an event of its own.
        trained = bool(self.counts or self.roots)
        counted = counters.read_counters() if trained else {}
        noted = [list(item) for item in self.log.items]
        if trained and (complete or not counters.in_replicas()):
            counters.execute_pending()
        before = counters.count_graphs()
        values = self.values(complete)
        result = {
            "rank": self.rank if self.counts else own_rank(self.torch),
            "complete": complete,
            "stopped": stopped,
            **values,
            "reading": sum(counters.count_graphs()[:1]) - sum(before[:1]),
            "counters": counted,
            "events": noted,
        }
        path = Path(self.order["results"]) / f"observed-{os.getpid()}-{threading.get_ident()}.json"
        scratch = path.with_suffix(".partial")
        scratch.write_text(json.dumps(result), encoding="utf-8")
        scratch.rename(path)

    def values(self, complete: bool) -> dict[str, Any]:
        """All that was seen, with values read from the device."""
        return {
            "steps": self.counts,
            "losses": [[step, float(value.cpu().sum())] for step, value in self.roots],
            "gradients": [float(value) for value in self.gradients],
            "parameters": [
                summary
                for index, optimizer in enumerate(self.optimizers)
                for summary in parameters.summarise(optimizer, self.names[index])
            ],
            "buffers": parameters.summarise_buffers(self.buffers) if complete else [],
            **(states.summarise(self.torch, self.optimizers, self.names) if complete else {}),
            "copies": list(self.copies.summarise()) if complete else [],
            "files": written.summarise(self.torch, self.order) if complete and self.counts and not self.rank else [],
            "loaded": list(written.loaded),
            "sources": [list(source) for source in pinning.sources],
            "graphs": self.graphs,
            "times": self.times,
            "events_dropped": self.log.dropped,
            **(deeds.current.summarise() if deeds.current is not None else {}),
            "passes": loading.summarise(),
            "seeded": sorted(randomness.seeded),
            "drawn": sorted(randomness.drawn),
            "autocast": precision.coverage,
            "without_gradient": sum(
                id(item) not in self.graded
                for optimizer in self.optimizers
                for group in optimizer.param_groups
                for item in group["params"]
            ),
            **(served.describe(self.torch, self.order) if self.counts else {}),
            "versions": {
                name: getattr(sys.modules[name], "__version__", "")
                for name in ("torch", "torch_xla")
                if name in sys.modules
            },
        }


unscaled: dict[int, tuple[Any, Any]] = {}
"""A scaled loss and the loss behind it, by the id of the former, until the next optimizer step."""


def install(torch: Any, order: dict[str, Any]) -> None:
    """Watch this process."""
    global current
    observer = current = Observer(torch, order)
    hooks = importlib.import_module("torch.optim.optimizer")
    hooks.register_optimizer_step_pre_hook(observer.note_gradients)
    hooks.register_optimizer_step_post_hook(observer.note_step)
    backward = torch.autograd.backward

    @functools.wraps(backward)
    def watched(tensors: Any, grad_tensors: Any = None, *arguments: Any, **options: Any) -> Any:
        # Activation checkpointing runs a backward of its own inside; torch_xla's scan, which is behind nn.GRU from 2.8
        # on, one on tensors of its own in the forward.
        if observer.in_backward or events.called_by("torch_xla"):
            return backward(tensors, grad_tensors, *arguments, **options)
        observer.note_backward(tensors, grad_tensors)
        observer.in_backward = True
        try:
            with observer.log.during("backward"):
                result = backward(tensors, grad_tensors, *arguments, **options)
        finally:
            observer.in_backward = False
        events.note_ddp(observer.log)
        return result

    torch.autograd.backward = watched
    watch_grad_scaler(torch.cuda.amp.GradScaler)
    if hasattr(torch.amp, "GradScaler"):
        watch_grad_scaler(torch.amp.GradScaler)
    events.install(torch, observer.log)
    loading.install(torch, lambda: observer.done, order["double"])
    finish_at_exit()
    # A worker forked by multiprocessing ends without the interpreter's exit functions.
    from multiprocessing import util

    util.register_after_fork(observer, begin_in_fork)
    util.Finalize(None, finish, exitpriority=100)


def begin_in_fork(observer: Observer) -> None:
    """In a forked worker: forget the parent's steps, and write a result of its own at the end."""
    from multiprocessing import util

    observer.forget()
    util.Finalize(None, finish, exitpriority=100)


def finish_at_exit() -> None:
    """Write the result when the interpreter ends, before all that was registered earlier is shut down."""
    atexit.register(finish)


def finish(complete: bool = True) -> None:
    """Write the result of this process, if torch was imported."""
    if current is not None:
        current.finish(complete)


def watch_grad_scaler(scaler: Any) -> None:
    """Remember which loss a scaled loss came from, so that both sides report the loss itself."""
    scale = scaler.scale
    if hasattr(scale, "__wrapped__"):  # inherited, and watched already
        return

    @functools.wraps(scale)
    def scale_and_remember(self: Any, outputs: Any) -> Any:
        scaled = scale(self, outputs)
        if hasattr(outputs, "detach") and scaled is not outputs:
            unscaled[id(scaled)] = (scaled, outputs)
        return scaled

    scaler.scale = scale_and_remember


def stop() -> None:
    """End this process, or this rank of it: it has done the steps that were asked for."""
    if counters.in_replicas():
        sys.modules["tc_migrate_child.replicas.start"].stop()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(0)


def log() -> events.Log:
    """The events of this process. Raises AssertionError before torch was imported."""
    assert current is not None
    return current.log


def own_rank(torch: Any) -> int:
    """The rank of this process: as the stand-in knows it, the process group, or the launcher; else 0."""
    world: Any = sys.modules.get("tc_migrate_child.standin.world")
    if world is not None:
        return int(world.rank)
    if counters.in_replicas():
        return int(sys.modules["tc_migrate_child.replicas"].rank())
    if torch.distributed.is_available() and torch.distributed.is_initialized():
        return int(torch.distributed.get_rank())
    return int(os.environ.get("RANK") or 0)
