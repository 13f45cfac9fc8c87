"""The layer that records a script's operations and predicts what torch_xla would compile and execute.

The script's `xla` tensors are `XlaTensor`s; `Recording` computes and records, `Book` counts graphs. Here is what lets
a script come to such tensors: the device "xla" in everything of torch that takes one.

Lost: timing, memory, and autocast on the device; random numbers of the device are drawn from the host's generator.
"""

from __future__ import annotations

import functools
import importlib
from collections.abc import Callable
from typing import Any

from . import profile
from .layer import Layer


class Recorded(Layer):
    """Predicts graphs. For one training process."""

    def install(self, torch: Any, order: dict[str, Any]) -> None:
        """Put the predicted device in place, in this process, for good."""
        recorded_tensor = importlib.import_module(".recorded_tensor", __package__)
        recording = importlib.import_module(".recording", __package__)
        self.tensor = recorded_tensor.XlaTensor
        self.recording = recording.Recording(profile.Profile.of(order["version"]), order["accelerator"])
        self.book = self.recording.book
        self.tensor.perform = self.recording.dispatch
        self.mode = serve_factories(torch, self.recording)
        self.recording.listeners.append(note)
        accept_xla(torch)
        if tuple(int(part) for part in torch.__version__.split(".")[:2]) < (2, 2):
            torch.nn.functional.one_hot = with_checks(torch, torch.nn.functional.one_hot)

    def mark(self) -> None:
        """End a graph."""
        self.book.mark()

    def send(self, tensor: Any) -> Any:
        """Upload as a loader does."""
        if self.is_xla(tensor):
            return tensor
        inner = tensor.detach().clone() if self.recording.place == "cpu" else tensor.detach().to(self.recording.place)
        return self.recording.tensor(inner, self.recording.upload(inner, by_loader=True))

    def to_host(self, tensors: list[Any]) -> list[Any]:
        """Copies on the host: one execution, which leaves pending what is pending."""
        self.book.execute([tensor.handle.current() for tensor in tensors], keep=False)
        return [tensor.inner.detach().cpu().clone() for tensor in tensors]

    def is_xla(self, tensor: Any) -> bool:
        """Whether a tensor is on the predicted device."""
        return isinstance(tensor, self.tensor)

    def counter(self, name: str) -> int | None:
        """torch_xla's counter of that name; None for one that never counted."""
        return self.counters().get(name)

    def counter_names(self) -> list[str]:
        """The counters that counted."""
        return sorted(self.counters())

    def counters(self) -> dict[str, int]:
        """All of them. What is compiled is executed too: CachedCompile counts executions of a graph compiled before."""
        book = self.book
        counts = {
            "UncachedCompile": book.compiled,
            "CachedCompile": book.executed - book.compiled,
            "MarkStep": book.marks,
            **self.recording.counters,
        }
        return {name: count for name, count in counts.items() if count}


def note(kind: str, name: str) -> None:
    """Keep what the script's own calls do not show: a mask looked through, a tensor of the host that is mixed in."""
    observe = importlib.import_module("..observe", __package__)
    if observe.current is None or (kind == "read" and name != "aten::nonzero"):
        return
    log = observe.log()
    if kind not in log.doing:
        log.note(kind)


def serve_factories(torch: Any, recording: Any) -> Any:
    """Make torch's own code create XlaTensors where it creates tensors on the device meta.

    The formulas of autograd do: they fill gradients with zeros made on the device of another tensor. Holds for the
    thread that installs it. The result has to be kept: torch does not.
    """
    modes = importlib.import_module("torch.utils._python_dispatch")

    class Factories(modes.TorchDispatchMode):  # type: ignore[misc, name-defined]
        def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            device = kwargs.get("device") if kwargs else None
            if device is not None and device.type == "meta":
                return recording.create(func, args, kwargs)
            return func(*args, **(kwargs or {}))

    mode = Factories()
    mode.__enter__()
    return mode


def replace_device(torch: Any, place: Any) -> Any:
    """The device meta for any spelling of an XLA device; anything else unchanged."""
    if isinstance(place, torch.device):
        return torch.device("meta") if place.type == "xla" else place
    if isinstance(place, str):
        return "meta" if place.split(":")[0] == "xla" else place
    return place


def accept_xla(torch: Any) -> None:
    """Replace the device "xla" in everything that makes or moves a tensor."""
    devices = importlib.import_module("torch.utils._device")
    device = functools.partial(replace_device, torch)
    from_data = ("tensor", "as_tensor", "asarray", "scalar_tensor", "from_file", "sparse_coo_tensor")
    for module in (torch, torch.fft):
        for name, function in list(vars(module).items()):
            if callable(function) and not name.startswith("_") and takes_device(torch, devices, function):
                copied = name in from_data
                setattr(module, name, then_moved(function, device) if copied else with_device(function, device))
    for name in ("new_empty", "new_full", "new_ones", "new_zeros", "new_empty_strided"):
        setattr(torch.Tensor, name, with_device(getattr(torch.Tensor, name), device))
    torch.Tensor.new_tensor = then_moved(torch.Tensor.new_tensor, device)
    torch.Tensor.to = with_first_device(torch.Tensor.to, device)
    start = devices.DeviceContext.__init__
    devices.DeviceContext.__init__ = lambda self, place: start(self, device(place))


def takes_device(torch: Any, devices: Any, function: Any) -> bool:
    """Whether this function of torch takes `device=`."""
    likes = ("empty_like", "zeros_like", "ones_like", "full_like", "rand_like", "randn_like", "randint_like", "normal")
    try:
        return function in devices._device_constructors() or getattr(function, "__name__", "") in likes
    except TypeError:
        return False


def with_device(function: Callable[..., Any], device: Callable[[Any], Any]) -> Callable[..., Any]:
    """`function`, with an XLA device among its keywords replaced."""

    @functools.wraps(function)
    def call(*arguments: Any, **options: Any) -> Any:
        if "device" in options:
            options["device"] = device(options["device"])
        return function(*arguments, **options)

    return call


def with_first_device(move: Callable[..., Any], device: Callable[[Any], Any]) -> Callable[..., Any]:
    """`tensor.to`, whose device may be its first argument."""

    @functools.wraps(move)
    def to(self: Any, *arguments: Any, **options: Any) -> Any:
        if arguments:
            arguments = (device(arguments[0]), *arguments[1:])
        if "device" in options:
            options["device"] = device(options["device"])
        return move(self, *arguments, **options)

    return to


def then_moved(function: Callable[..., Any], device: Callable[[Any], Any]) -> Callable[..., Any]:
    """`torch.tensor` and its like: made on the host, then moved, since the device meta takes no numbers."""

    @functools.wraps(function)
    def make(*arguments: Any, **options: Any) -> Any:
        place = options.get("device")
        if place is None or device(place) is place:
            return function(*arguments, **options)
        gradient = options.pop("requires_grad", False)
        del options["device"]
        made = function(*arguments, **options).to(place)
        return made.requires_grad_() if gradient else made

    return make


def with_checks(torch: Any, one_hot: Callable[..., Any]) -> Callable[..., Any]:
    """`one_hot`, which in torch 2.1 reads the classes of an XLA tensor and refuses one of the device meta."""

    @functools.wraps(one_hot)
    def encode(tensor: Any, num_classes: int = -1) -> Any:
        if tensor.device.type != "xla":
            return one_hot(tensor, num_classes)
        if tensor.min().item() < 0:
            raise RuntimeError("Class values must be non-negative.")
        largest = tensor.max().item()
        if num_classes == -1:
            num_classes = largest + 1
        elif num_classes <= largest:
            raise RuntimeError("Class values must be smaller than num_classes.")
        result = torch.zeros((*tensor.shape, num_classes), dtype=torch.long, device=tensor.device)
        return result.scatter_(-1, tensor.unsqueeze(-1), 1)

    return encode
