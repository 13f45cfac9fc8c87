"""Watches a training script from inside: optimizer steps, losses, gradients, final parameters, executed graphs.

Nothing is read from the device before the script has ended or has done the steps that were asked for, so watching
costs no execution: the losses are kept as copies on the device. The result is one JSON file per process.
"""

from __future__ import annotations

import atexit
import functools
import importlib
import json
import math
import os
import sys
from pathlib import Path
from typing import Any

SAMPLES = 64
"""Elements kept of each final parameter, spread evenly over it."""

current: Observer | None = None


class Observer:
    """What was seen in this process."""

    def __init__(self, torch: Any, order: dict[str, Any]) -> None:
        self.torch, self.order = torch, order
        self.forget()

    def forget(self) -> None:
        """Start anew: what a forked process inherits was done by its parent."""
        self.optimizers: list[Any] = []
        self.counts: list[int] = []
        self.roots: list[tuple[int, Any]] = []
        self.gradients: list[Any] = []
        self.graphs: list[list[int]] = []
        self.in_backward = False
        self.finished = False

    def note_gradients(self, optimizer: Any, *arguments: Any) -> None:
        """Keep the norm of what an optimizer is about to step by: Adam hides a gradient of the wrong size."""
        gradients = [
            item.grad.detach() for group in optimizer.param_groups for item in group["params"] if item.grad is not None
        ]
        dense = [gradient.coalesce().values() if gradient.is_sparse else gradient for gradient in gradients]
        norms = [gradient.float().norm() for gradient in dense]
        if len({norm.device for norm in norms}) > 1:
            norms = [norm.cpu() for norm in norms]
        self.gradients.append(self.torch.stack(norms).norm() if norms else 0.0)

    def note_step(self, optimizer: Any, *arguments: Any) -> None:
        """Count one optimizer step; end the process when the first optimizer has done as many as were asked for."""
        index = next((index for index, known in enumerate(self.optimizers) if known is optimizer), None)
        if index is None:
            index = len(self.optimizers)
            self.optimizers.append(optimizer)
            self.counts.append(0)
        self.counts[index] += 1
        unscaled.clear()
        if index == 0:
            self.graphs.append(count_graphs())
            if self.counts[0] == self.order["steps"]:
                self.finish(complete=True, stopped=True)
                sys.stdout.flush()
                sys.stderr.flush()
                os._exit(0)

    def note_backward(self, tensors: Any, gradients: Any) -> None:
        """Keep the value that is differentiated: a copy, since scripts go on to divide or reduce it in place."""
        step = self.counts[0] if self.counts else 0
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
        # First, since reading a loss from the device is an execution of its own.
        counters = read_counters() if self.counts or self.roots else {}
        result = {
            "complete": complete,
            "stopped": stopped,
            "steps": self.counts,
            "losses": [[step, float(value.sum())] for step, value in self.roots],
            "gradients": [float(value) for value in self.gradients],
            "parameters": [summary for optimizer in self.optimizers for summary in summarise(optimizer)],
            "graphs": self.graphs,
            "counters": counters,
            "versions": {
                name: getattr(sys.modules[name], "__version__", "")
                for name in ("torch", "torch_xla")
                if name in sys.modules
            },
        }
        path = Path(self.order["results"]) / f"observed-{os.getpid()}.json"
        scratch = path.with_suffix(".partial")
        scratch.write_text(json.dumps(result), encoding="utf-8")
        scratch.rename(path)


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
        if observer.in_backward:  # activation checkpointing runs a backward of its own inside
            return backward(tensors, grad_tensors, *arguments, **options)
        observer.note_backward(tensors, grad_tensors)
        observer.in_backward = True
        try:
            return backward(tensors, grad_tensors, *arguments, **options)
        finally:
            observer.in_backward = False

    torch.autograd.backward = watched
    watch_grad_scaler(torch.cuda.amp.GradScaler)
    if hasattr(torch.amp, "GradScaler"):
        watch_grad_scaler(torch.amp.GradScaler)
    load_in_process(importlib.import_module("torch.utils.data").DataLoader)
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


def load_in_process(loader: Any) -> None:
    """Make every DataLoader load in the training process: workers cost seconds and draw random numbers of their own."""
    start = loader.__init__

    @functools.wraps(start)
    def load(self: Any, dataset: Any, *arguments: Any, **options: Any) -> None:
        # DataLoader(dataset, batch_size, shuffle, sampler, batch_sampler, num_workers, ...), torch 2.1 to 2.9.
        if len(arguments) > 4:
            arguments = (*arguments[:4], 0, *arguments[5:])
        else:
            options["num_workers"] = 0
        for name in ("persistent_workers", "prefetch_factor", "multiprocessing_context", "timeout"):
            options.pop(name, None)
        start(self, dataset, *arguments, **options)

    loader.__init__ = load


def count_graphs() -> list[int]:
    """Graphs compiled and graphs executed so far; empty without torch_xla."""
    metrics: Any = sys.modules.get("torch_xla.debug.metrics")
    if metrics is None:
        return []
    compiled = metrics.counter_value("UncachedCompile") or 0
    return [compiled, compiled + (metrics.counter_value("CachedCompile") or 0)]


def read_counters() -> dict[str, int]:
    """torch_xla's counters of graphs, and of the operators it left to the CPU ("aten::...")."""
    metrics: Any = sys.modules.get("torch_xla.debug.metrics")
    if metrics is None:
        return {}
    sys.modules["torch_xla.core.xla_model"].wait_device_ops()
    wanted = ("UncachedCompile", "CachedCompile", "MarkStep")
    names = [name for name in metrics.counter_names() if name in wanted or name.startswith("aten::")]
    return {name: metrics.counter_value(name) for name in names}


def summarise(optimizer: Any) -> list[dict[str, Any]]:
    """Norm and evenly spread elements of each parameter, in the optimizer's order."""
    summaries = []
    for group in optimizer.param_groups:
        for parameter in group["params"]:
            flat = parameter.detach().cpu().double().reshape(-1)
            step = max(1, math.ceil(flat.numel() / SAMPLES))
            summaries.append(
                {"shape": list(parameter.shape), "norm": float(flat.norm()), "elements": flat[::step].tolist()}
            )
    return summaries
