"""Puts the watch of `deeds` around what torch and torch_xla do for a script."""

from __future__ import annotations

import functools
import importlib
import sys
import weakref
from collections.abc import Callable, Iterator
from typing import Any

from . import deeds, events, reading

READS = tuple(name for name in reading.METHODS if name not in (*reading.FUNCTIONS, "cpu"))
COLLECTIVES = (
    "barrier", "all_reduce", "reduce", "broadcast", "broadcast_object_list", "all_gather", "all_gather_into_tensor",
    "all_gather_object", "gather", "gather_object", "scatter", "scatter_object_list", "reduce_scatter",
    "reduce_scatter_tensor", "all_to_all", "all_to_all_single", "monitored_barrier",
)  # fmt: skip
XLA_COLLECTIVES = (
    "optimizer_step", "reduce_gradients", "all_reduce", "all_gather", "reduce_scatter", "all_to_all",
    "collective_broadcast", "broadcast_master_param", "mesh_reduce", "rendezvous",
)  # fmt: skip

replaced: dict[int, weakref.ref[Any]] = {}
"""Parameters that a module gave up for others when it was moved."""


def install(torch: Any) -> None:
    """Watch torch."""
    if deeds.current is None:
        return
    watch_modules(torch, deeds.current)
    watch_optimizers(torch, deeds.current)
    watch_moves(torch, deeds.current)
    watch_files(torch, deeds.current)
    watch_reads(torch)
    watch_backward(torch, deeds.current)
    for module in (torch.nn.utils, importlib.import_module("torch.nn.utils.clip_grad")):
        for name in ("clip_grad_norm_", "clip_grad_value_"):
            deeds.wrap(module, name, "clip")
    for module in (torch.cuda.amp, torch.amp):
        if hasattr(module, "GradScaler"):
            watch_scaler(module.GradScaler)
    if torch.distributed.is_available():
        for name in COLLECTIVES:
            deeds.wrap(torch.distributed, name, "collective")
    for module, names in (
        (torch, ("manual_seed", "set_rng_state")),
        (torch.random, ("manual_seed",)),
        (torch.cuda, ("manual_seed", "manual_seed_all")),
        (sys.modules["random"], ("seed",)),
    ):
        for name in names:
            deeds.wrap(module, name, "seed")


def watch_reads(torch: Any) -> None:
    """Every way in which a script gets at a tensor's value. To be called again once others wrapped the same functions:
    who calls them is told by the caller's frame."""
    for name in READS:
        deeds.wrap_read(torch.Tensor, name)

    def to_host(self: Any, *arguments: Any, **options: Any) -> bool:
        place = options.get("device", arguments[:1] and arguments[0])
        return reading.goes_to_host(torch, place) and leaves(self, isinstance(place, str))

    deeds.wrap_read(torch.Tensor, "cpu", lambda self, *arguments, **options: leaves(self, True))
    deeds.wrap_read(torch.Tensor, "to", to_host)


def leaves(tensor: Any, said: bool) -> bool:
    """Whether a move to the host is one. On the stand-in a tensor's `.device` says cpu wherever the script thinks that
    it is, and what was made of a moved tensor is not known for one: there a move is what is `said` to be one."""
    if "torch_xla" in sys.modules:
        return bool(tensor.device.type == "xla")
    return bool(tensor.is_cuda) or said


def watch_backward(torch: Any, log: deeds.Deeds) -> None:
    """A backward of the script's, not one inside of a forward: torch_xla runs one there for nn.GRU."""
    backward = torch.autograd.backward

    @functools.wraps(backward)
    def watched(*arguments: Any, **options: Any) -> Any:
        if events.called_by("torch_xla"):
            return backward(*arguments, **options)
        with log.during("backward"):
            return backward(*arguments, **options)

    torch.autograd.backward = watched


def watch_numpy(numpy: Any) -> None:
    """numpy's own random numbers."""
    deeds.wrap(numpy.random, "seed", "seed")


def watch_xla_model(xla_model: Any) -> None:
    """`xm`."""
    for name in XLA_COLLECTIVES:
        deeds.wrap(xla_model, name, "collective")
    deeds.wrap(xla_model, "mark_step", "mark")
    deeds.wrap(xla_model, "set_rng_state", "seed")
    if deeds.current is not None:
        xla_model.save = saving(deeds.current, xla_model.save)


def watch_package(torch_xla: Any) -> None:
    """`torch_xla.sync` under its two names, and the clipping that torch_xla put in the place of torch's."""
    for module in (torch_xla, sys.modules.get("torch_xla.torch_xla")):
        deeds.wrap(module, "sync", "mark")
        deeds.wrap(module, "manual_seed", "seed")
    torch = sys.modules["torch"]
    watch_reads(torch)
    for module in (torch.nn.utils, importlib.import_module("torch.nn.utils.clip_grad")):
        for name in ("clip_grad_norm_", "clip_grad_value_"):
            deeds.wrap(module, name, "clip")


def watch_amp(amp: Any) -> None:
    """torch_xla's own GradScaler."""
    if hasattr(amp, "GradScaler"):
        watch_scaler(amp.GradScaler)


def watch_scaler(scaler: Any) -> None:
    """An `unscale_` that the script asks for; the one inside of `step` is the scaler's own."""
    if "unscale_" in vars(scaler) and deeds.current is not None:
        log, step = deeds.current, scaler.step

        @functools.wraps(step)
        def quietly(*arguments: Any, **options: Any) -> Any:
            log.doing.append("unscale")
            try:
                return step(*arguments, **options)
            finally:
                log.doing.remove("unscale")

        deeds.wrap(scaler, "unscale_", "unscale")
        scaler.step = quietly


def watch_modules(torch: Any, log: deeds.Deeds) -> None:
    """Calls of modules that no forward is inside of, with the devices of parameters and of inputs."""
    module = torch.nn.Module
    call = module.__call__

    @functools.wraps(call)
    def called(self: Any, *arguments: Any, **options: Any) -> Any:
        if "forward" in log.doing or "backward" in log.doing or inside_forward():
            return call(self, *arguments, **options)
        held = {f"parameters:{one.device.type}" for one in self.parameters()}
        given = {f"inputs:{one.device.type}" for one in tensors(torch, (arguments, options))}
        with log.during("forward", (*held, *given)):
            return call(self, *arguments, **options)

    module.__call__ = called
    deeds.wrap(module, "zero_grad", "zero")


def inside_forward() -> bool:
    """Whether a function named `forward` is being executed."""
    frame: Any = sys._getframe(2)
    while frame is not None:
        if frame.f_code.co_name == "forward":
            return True
        frame = frame.f_back
    return False


def tensors(torch: Any, value: Any, depth: int = 0) -> Iterator[Any]:
    """The tensors in a value."""
    if isinstance(value, torch.Tensor):
        yield value
    elif isinstance(value, torch.nn.Module):
        yield from value.parameters()
    elif isinstance(value, (list, tuple)) and depth < 4:
        for one in value:
            yield from tensors(torch, one, depth + 1)
    elif isinstance(value, dict) and depth < 4:
        for one in value.values():
            yield from tensors(torch, one, depth + 1)


def watch_optimizers(torch: Any, log: deeds.Deeds) -> None:
    """What optimizers take, step and forget."""
    optimizer = torch.optim.Optimizer
    hooks = importlib.import_module("torch.optim.optimizer")

    def note_step(self: Any, *arguments: Any) -> None:
        held = [one for group in self.param_groups for one in group["params"]]
        gone = any((kept := replaced.get(id(one))) is not None and kept() is one for one in held)
        log.note("step", ("stale" if gone else "own",))

    hooks.register_optimizer_step_post_hook(note_step)
    deeds.wrap(optimizer, "__init__", "capture")
    deeds.wrap(optimizer, "add_param_group", "capture")
    deeds.wrap(optimizer, "zero_grad", "zero")


def watch_moves(torch: Any, log: deeds.Deeds) -> None:
    """Modules that are moved, and the parameters that they lose by it."""
    module = torch.nn.Module

    def moving(move: Callable[..., Any], moves: Callable[..., bool]) -> Callable[..., Any]:
        @functools.wraps(move)
        def moved(self: Any, *arguments: Any, **options: Any) -> Any:
            if "move" in log.doing or not moves(*arguments, **options):
                return move(self, *arguments, **options)
            before = list(self.parameters())
            on_device = {one.device.type for one in before if on_accelerator(one)}
            log.doing.append("read")
            try:
                with log.during("move"):
                    result = move(self, *arguments, **options)
            finally:
                log.doing.remove("read")
            if on_device and not any(on_accelerator(one) for one in self.parameters()):
                log.note("read", tuple(on_device))
            now = {id(one) for one in self.parameters()}
            replaced.update({id(one): weakref.ref(one) for one in before if id(one) not in now})
            return result

        return moved

    def names_device(*arguments: Any, **options: Any) -> bool:
        first = options.get("device", arguments[:1] and arguments[0])
        return isinstance(first, (str, int, torch.device, torch.Tensor))

    module.to = moving(module.to, names_device)
    module.cuda = moving(module.cuda, lambda *arguments, **options: True)
    module.cpu = moving(module.cpu, lambda *arguments, **options: True)


def on_accelerator(tensor: Any) -> bool:
    """Whether the script thinks that a tensor is on a device."""
    return bool(tensor.is_cuda or tensor.device.type == "xla")


def saving(log: deeds.Deeds, save: Callable[..., Any]) -> Callable[..., Any]:
    """A function that writes a checkpoint: tensors in it are read, in C++."""

    @functools.wraps(save)
    def saved(value: Any, *arguments: Any, **options: Any) -> Any:
        torch = sys.modules["torch"]
        if "save" not in log.doing:
            devices = {one.device.type for one in tensors(torch, value)}
            if devices:
                log.note("read", tuple(devices))
        log.doing.append("read")
        try:
            with log.during("save"):
                return save(value, *arguments, **options)
        finally:
            log.doing.remove("read")

    return saved


def watch_files(torch: Any, log: deeds.Deeds) -> None:
    """Checkpoints."""
    torch.save = saving(log, torch.save)
    deeds.wrap(torch, "load", "load")


def register(callbacks: dict[str, Callable[[Any], None]]) -> None:
    """Watch each module of torch_xla, and numpy, right after it was imported and after what `callbacks` do to it."""
    from .events_xla import add

    if deeds.current is None:
        return
    add(callbacks, "torch_xla.core.xla_model", watch_xla_model)
    add(callbacks, "torch_xla", watch_package)
    add(callbacks, "torch_xla.amp", watch_amp)
    seed = callbacks["numpy"]

    def both(numpy: Any) -> None:
        watch_numpy(numpy)
        seed(numpy)

    callbacks["numpy"] = both
