"""A stand-in for CUDA on the CPU: devices, tensors, modules and `torch.cuda`, served by host memory.

The script believes that it has one GPU. A `torch.device("cuda")` stays one, so that `device.type == "cuda"` holds and
prints as written; where a device decides the place of a tensor, the CPU is put in its stead. A move to the GPU or back
copies, as it does with a GPU, so in-place changes of the copy do not reach the original.

Here are the tensors; `torch.cuda` itself is in `cuda_namespace`.

Lost: a tensor's own `.device` says cpu, memory figures are zero, streams and events order nothing, CUDA graphs and
hand-written kernels do not run. Works with torch 2.1 to 2.13; needs nothing but torch.
"""

from __future__ import annotations

import functools
import importlib
from collections.abc import Callable
from typing import Any


def install(torch: Any) -> None:
    """Put the stand-in in the place of CUDA, in this process, for good."""
    host = functools.partial(replace_device, torch)
    install_places(torch, host)
    install_tensor(torch, host)
    install_module(torch)
    install_storage_and_load(torch, host)
    # Compiled code would look at the real device; eager code computes the same.
    torch.compile = lambda model=None, **options: model if model is not None else (lambda function: function)


def replace_device(torch: Any, place: Any) -> Any:
    """The CPU for any spelling of a CUDA device (an index means CUDA too); anything else unchanged."""
    if isinstance(place, bool) or place is None:
        return place
    if isinstance(place, int):
        return "cpu"
    if isinstance(place, str):
        return "cpu" if place.split(":")[0] == "cuda" else place
    if isinstance(place, torch.device):
        return torch.device("cpu") if place.type == "cuda" else place
    return place


def install_places(torch: Any, host: Callable[[Any], Any]) -> None:
    """Everything that makes a tensor on a device, and the two ways to change the default device."""
    devices = importlib.import_module("torch.utils._device")
    for module in (torch, torch.fft, torch.nested):
        for name, function in list(vars(module).items()):
            # The set holds builtin functions, hence hashable; not every attribute of a module is.
            if callable(function) and not name.startswith("_") and takes_device(torch, devices, function):
                setattr(module, name, with_host_device(function, host))
    context = devices.DeviceContext
    start = context.__init__

    def start_on_host(self: Any, device: Any) -> None:
        start(self, host(device))

    context.__init__ = start_on_host
    default_type = torch.set_default_tensor_type
    torch.set_default_tensor_type = lambda kind: default_type(without_cuda(kind))
    real = torch.Generator

    class GeneratorType(type):
        def __instancecheck__(cls, value: object) -> bool:
            return isinstance(value, real)

    class Generator(metaclass=GeneratorType):
        """`torch.Generator`, which cannot be subclassed: always one on the CPU."""

        def __new__(cls, device: Any = None) -> Any:
            return real()

    torch.Generator = Generator


def takes_device(torch: Any, devices: Any, function: Any) -> bool:
    """Whether this function of torch takes `device=`."""
    try:
        return function in devices._device_constructors() or function in (
            torch.empty_like, torch.zeros_like, torch.ones_like, torch.full_like, torch.rand_like, torch.randn_like,
            torch.randint_like, torch.normal,
        )  # fmt: skip
    except TypeError:
        return False


def with_host_device(function: Callable[..., Any], host: Callable[[Any], Any]) -> Callable[..., Any]:
    """`function`, with a CUDA device among its keywords replaced."""

    @functools.wraps(function)
    def call(*arguments: Any, **options: Any) -> Any:
        if "device" in options:
            options["device"] = host(options["device"])
        return function(*arguments, **options)

    return call


def without_cuda(kind: Any) -> Any:
    """ "torch.FloatTensor" for "torch.cuda.FloatTensor"; a type or dtype unchanged."""
    return kind.replace("torch.cuda.", "torch.") if isinstance(kind, str) else kind


def install_tensor(torch: Any, host: Callable[[Any], Any]) -> None:
    """The methods of a tensor that name a device."""
    tensor = torch.Tensor
    on_gpu = importlib.import_module("torch.utils.weak").WeakIdKeyDictionary()
    move = tensor.to

    def copied(source: Any, result: Any, gpu: bool) -> Any:
        # What a move cannot copy: a parameter would no longer be the leaf that its optimizer knows.
        if result is source and not (source.requires_grad and source.is_leaf) and not (gpu and source in on_gpu):
            result = source.clone()
        if gpu:
            on_gpu[result] = True
        else:
            on_gpu.pop(result, None)
        return result

    @functools.wraps(move)
    def to(self: Any, *arguments: Any, **options: Any) -> Any:
        wanted = options["device"] if "device" in options else (arguments[0] if arguments else None)
        if isinstance(wanted, tensor):
            return copied(self, move(self, *arguments, **options), gpu=wanted in on_gpu)
        place = host(wanted) if isinstance(wanted, (str, int, torch.device)) else None
        if place is None:
            return move(self, *arguments, **options)
        if "device" in options:
            options["device"] = place
        else:
            arguments = (place, *arguments[1:])
        return copied(self, move(self, *arguments, **options), gpu=str(place) != str(wanted))

    def cuda(self: Any, device: Any = None, non_blocking: bool = False, memory_format: Any = None) -> Any:
        return copied(self, self if memory_format is None else self.contiguous(memory_format=memory_format), gpu=True)

    kind_of = tensor.type

    @functools.wraps(kind_of)
    def type_(self: Any, dtype: Any = None, non_blocking: bool = False, **options: Any) -> Any:
        if dtype is None:
            kind = kind_of(self)
            return kind.replace("torch.", "torch.cuda.") if self in on_gpu else kind
        result = kind_of(self, without_cuda(dtype))
        return copied(self, result, gpu=True) if isinstance(dtype, str) and "cuda" in dtype else result

    tensor.to, tensor.cuda, tensor.type = to, cuda, type_
    tensor.cpu = lambda self, memory_format=None: self.clone()
    tensor.is_cuda = property(lambda self: self in on_gpu)
    tensor.get_device = lambda self: 0 if self in on_gpu else -1
    tensor.pin_memory = lambda self, device=None: self
    tensor.is_pinned = lambda self, device=None: False
    tensor.record_stream = lambda self, stream: None
    for name in ("new_empty", "new_full", "new_ones", "new_zeros", "new_tensor", "new_empty_strided"):
        setattr(tensor, name, with_host_device(getattr(tensor, name), host))


def install_module(torch: Any) -> None:
    """`module.cuda()`; `module.to` goes through the tensor's own `to`, which also notes what is on the GPU."""
    module = torch.nn.Module
    move = module.to

    @functools.wraps(move)
    def to(self: Any, *arguments: Any, **options: Any) -> Any:
        # torch 2.13 asks the accelerator what device an index means.
        arguments = tuple("cuda" if type(value) is int else value for value in arguments)
        if type(options.get("device")) is int:
            options["device"] = "cuda"
        return move(self, *arguments, **options)

    module.to = to
    module.cuda = lambda self, device=None: self.to("cuda")
    module.cpu = lambda self: self.to("cpu")
    kind_of = module.type
    module.type = lambda self, kind: kind_of(self, without_cuda(kind))
    module.compile = lambda self, *arguments, **options: None


def install_storage_and_load(torch: Any, host: Callable[[Any], Any]) -> None:
    """`storage.cuda()` in a `map_location` function, and `torch.load` to a CUDA device."""
    for storage in (torch.UntypedStorage, torch.TypedStorage):
        storage.cuda = lambda self, *arguments, **options: self
    load = torch.load

    @functools.wraps(load)
    def load_on_host(file: Any, map_location: Any = None, *arguments: Any, **options: Any) -> Any:
        return load(file, host(map_location), *arguments, **options)

    torch.load = load_on_host
