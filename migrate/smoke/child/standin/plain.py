"""Xla devices that are the CPU, or the GPU: torch's own tensors and kernels, at their own speed.

A `torch.device("xla")` stays one; where a device decides the place of a tensor, the CPU or the process's GPU is put in
its stead. What was moved there says "xla" when asked for its device. On the GPU every tensor there does. On the CPU
the moved tensor's memory is remembered, so views and in-place changes say so too, but a result computed from it says
"cpu". As with torch_xla, `module.to` puts new parameters in the place of the old ones.

Nothing is recorded: only marks are counted.
"""

from __future__ import annotations

import functools
import importlib
from collections.abc import Callable
from typing import Any

from ..cuda_on_cpu import takes_device
from . import pending, world
from .layer import Layer

NEW = ("new_empty", "new_full", "new_ones", "new_zeros", "new_tensor", "new_empty_strided")

FORGOTTEN = 1000
"""Tensors after whose move those that are gone are forgotten."""


class Plain(Layer):
    """The layer for several workers, and for speed."""

    counts_graphs = False

    def __init__(self) -> None:
        self.marks = 0
        self.torch: Any = None
        self.on_gpu = False
        self.read_device: Callable[[Any], Any] = lambda tensor: tensor.device
        self.memories: dict[int, Any] = {}
        """Weak references to the memory of moved tensors, by its address, which is not given away while one is kept."""
        self.most = FORGOTTEN

    def install(self, torch: Any, order: dict[str, Any]) -> None:
        self.torch, self.on_gpu = torch, order["accelerator"] == "cuda"
        self.xla = torch.device("xla", 0)
        self.reference = importlib.import_module("torch.multiprocessing.reductions").StorageWeakRef
        install_device(self)
        install_moves(self)
        install_factories(self)
        install_module(self)
        if not self.on_gpu:
            install_gradients(self)
            if order["workers"] > 1:
                pending.install(torch)
        install_autocast(self)
        if self.on_gpu:
            install_fast_optimizers()

    def mark(self) -> None:
        self.marks += 1
        pending.mark()

    def send(self, tensor: Any) -> Any:
        return tensor.to(self.xla)

    def wait(self) -> None:
        if self.on_gpu:
            self.torch.cuda.synchronize()

    def counter(self, name: str) -> int | None:
        return self.marks if name == "MarkStep" and self.marks else None

    def counter_names(self) -> list[str]:
        return ["MarkStep"] if self.marks else []

    def is_xla(self, tensor: Any) -> bool:
        if self.on_gpu:
            return bool(self.read_device(tensor).type == "cuda")
        memory = memory_of(tensor)
        return memory is not None and memory._cdata in self.memories

    def note(self, tensor: Any) -> Any:
        """Remember that a tensor's memory is an xla device's."""
        memory = None if self.on_gpu else memory_of(tensor)
        if memory is not None and memory._cdata not in self.memories:
            self.memories[memory._cdata] = self.reference(memory)
            if len(self.memories) > self.most:
                self.memories = {key: each for key, each in self.memories.items() if not each.expired()}
                self.most = 2 * len(self.memories) + FORGOTTEN
        return tensor

    def names_xla(self, place: Any) -> bool:
        """Whether a spelling of a device is one of an xla device."""
        if isinstance(place, str):
            return place.split(":")[0] == "xla"
        return isinstance(place, self.torch.device) and bool(place.type == "xla")

    def host(self, place: Any) -> Any:
        """The place that serves an xla device; any other place unchanged."""
        if not self.names_xla(place):
            return place
        return f"cuda:{world.rank}" if self.on_gpu else "cpu"


def memory_of(tensor: Any) -> Any:
    """The storage of a tensor; None for a tensor without one."""
    try:
        return tensor.untyped_storage()
    except (NotImplementedError, RuntimeError):  # sparse tensors
        return None


def install_device(layer: Plain) -> None:
    """`tensor.device` and what tells the same."""
    tensor = layer.torch.Tensor
    layer.read_device = tensor.device.__get__
    tensor.device = property(lambda self: layer.xla if layer.is_xla(self) else layer.read_device(self))
    tensor.is_xla = property(layer.is_xla)
    kind_of = tensor.type

    @functools.wraps(kind_of)
    def type_(self: Any, dtype: Any = None, non_blocking: bool = False, **options: Any) -> Any:
        if dtype is not None:
            return kind_of(self, dtype, non_blocking, **options)
        kind = kind_of(self).replace("torch.cuda.", "torch.")
        return kind.replace("torch.", "torch.xla.") if layer.is_xla(self) else kind

    tensor.type = type_


def install_moves(layer: Plain) -> None:
    """`tensor.to`, `tensor.cpu` and copies."""
    tensor = layer.torch.Tensor
    move, clone, to_host = tensor.to, tensor.clone, tensor.cpu

    def placed(source: Any, result: Any, on_xla: bool) -> Any:
        if layer.on_gpu:
            return result
        if result is source and layer.is_xla(source) != on_xla:
            result = clone(source)
        return layer.note(result) if on_xla else result

    @functools.wraps(move)
    def to(self: Any, *arguments: Any, **options: Any) -> Any:
        wanted = options["device"] if "device" in options else (arguments[0] if arguments else None)
        if isinstance(wanted, tensor):
            return placed(self, move(self, *arguments, **options), layer.is_xla(wanted))
        if not isinstance(wanted, (str, layer.torch.device)):
            result = move(self, *arguments, **options)
            return layer.note(result) if result is not self and layer.is_xla(self) else result
        if "device" in options:
            options["device"] = layer.host(wanted)
        else:
            arguments = (layer.host(wanted), *arguments[1:])
        return placed(self, move(self, *arguments, **options), layer.names_xla(wanted))

    @functools.wraps(clone)
    def clone_in_place(self: Any, *arguments: Any, **options: Any) -> Any:
        result = clone(self, *arguments, **options)
        return layer.note(result) if layer.is_xla(self) else result

    @functools.wraps(to_host)
    def cpu(self: Any, *arguments: Any, **options: Any) -> Any:
        result = to_host(self, *arguments, **options)
        # What was computed on the device does not say so here; a copy is what its move to the host makes.
        return clone(self) if result is self else result

    tensor.to = to
    if not layer.on_gpu:
        tensor.clone, tensor.cpu = clone_in_place, cpu


def install_factories(layer: Plain) -> None:
    """Everything that makes a tensor on a device, and `with torch.device("xla"):`."""
    torch = layer.torch
    devices = importlib.import_module("torch.utils._device")

    def with_host(function: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(function)
        def make(*arguments: Any, **options: Any) -> Any:
            wanted = options.get("device")
            if wanted is None or not layer.names_xla(wanted):
                return function(*arguments, **options)
            options["device"] = layer.host(wanted)
            return layer.note(function(*arguments, **options))

        return make

    for module in (torch, torch.fft, torch.nested):
        for name, function in list(vars(module).items()):
            if callable(function) and not name.startswith("_") and takes_device(torch, devices, function):
                setattr(module, name, with_host(function))
    for name in NEW:
        setattr(torch.Tensor, name, with_host(getattr(torch.Tensor, name)))
    start = devices.DeviceContext.__init__

    def start_on_host(self: Any, device: Any) -> None:
        start(self, layer.host(device))

    devices.DeviceContext.__init__ = start_on_host


def install_module(layer: Plain) -> None:
    """Let a move between the host and an xla device make new parameters, as it does with torch_xla."""
    torch = layer.torch
    compatible = torch._has_compatible_shallow_copy_type

    def same_place(old: Any, new: Any) -> bool:
        return layer.is_xla(old) == layer.is_xla(new) and bool(compatible(old, new))

    torch._has_compatible_shallow_copy_type = same_place


def install_gradients(layer: Plain) -> None:
    """Let the gradient of a tensor on an xla device say that it is there too, so that it moves with its parameter."""
    tensor = layer.torch.Tensor
    gradient = tensor.grad

    class Attribute(property):
        """A property that torch.compile takes for the attribute it stands for: it asks where that is from."""

        __name__, __objclass__ = gradient.__name__, gradient.__objclass__

    def read(self: Any) -> Any:
        value = gradient.__get__(self)
        return value if value is None or not layer.is_xla(self) else layer.note(value)

    tensor.grad = Attribute(read, gradient.__set__, gradient.__delete__)


def install_autocast(layer: Plain) -> None:
    """`torch.autocast("xla")`: that of the device which does the work, in bfloat16 unless told otherwise."""
    torch = layer.torch
    autocast = torch.amp.autocast_mode.autocast
    start = autocast.__init__

    @functools.wraps(start)
    def begin(self: Any, device_type: str, dtype: Any = None, *arguments: Any, **options: Any) -> None:
        if device_type == "xla":
            device_type, dtype = ("cuda" if layer.on_gpu else "cpu"), dtype or torch.bfloat16
        start(self, device_type, dtype, *arguments, **options)

    autocast.__init__ = begin


def install_fast_optimizers() -> None:
    """Let optimizers use the multi-tensor kernels of the GPU for tensors that say that they are on an xla device."""
    foreach: Any = importlib.import_module("torch.utils._foreach_utils")
    supported = foreach._get_foreach_kernels_supported_devices
    optimizer: Any = importlib.import_module("torch.optim.optimizer")
    for module in (foreach, optimizer):
        if hasattr(module, "_get_foreach_kernels_supported_devices"):
            module._get_foreach_kernels_supported_devices = lambda: [*supported(), "xla"]
