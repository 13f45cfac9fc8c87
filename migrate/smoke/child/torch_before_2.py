"""Gives torch 1.11 to 1.13 the names of torch 2 that the rest of this folder patches and uses."""

from __future__ import annotations

import functools
import importlib
import sys
import weakref
from collections.abc import Callable
from types import ModuleType
from typing import Any

MAKERS = (
    "arange as_tensor asarray bartlett_window blackman_window empty empty_quantized empty_strided eye fftfreq "
    "from_file full hamming_window hann_window kaiser_window linspace logspace ones rand randint randn randperm range "
    "rfftfreq scalar_tensor sparse_bsc_tensor sparse_bsr_tensor sparse_compressed_tensor sparse_coo_tensor "
    "sparse_csc_tensor sparse_csr_tensor tensor tril_indices triu_indices zeros"
).split()
"""Functions that take `device=`."""
BEFORE: list[Callable[..., Any]] = []
AFTER: list[Callable[..., Any]] = []
"""Called with the optimizer, the arguments and the options of each step."""


def install(torch: Any) -> None:
    """Before anything else is patched. Does nothing on torch 2."""
    if int(torch.__version__.split(".")[0]) >= 2:
        return
    name_devices(torch)
    name_storages(torch)
    hooks = importlib.import_module("torch.optim.optimizer")
    if not hasattr(hooks, "register_optimizer_step_pre_hook"):
        watch_steps(hooks)


def name_devices(torch: Any) -> None:
    """`torch.utils._device`: there was no default device, and no `with torch.device(...)`."""
    devices: Any = ModuleType("torch.utils._device")

    class DeviceContext:
        def __init__(self, device: Any) -> None:
            self.device = device

    if not hasattr(torch, "nested"):
        torch.nested = ModuleType("torch.nested")
    found = {getattr(place, name) for place in (torch, torch.fft) for name in MAKERS if hasattr(place, name)}
    devices.CURRENT_DEVICE, devices.DeviceContext = None, DeviceContext
    devices._device_constructors = lambda: found
    sys.modules[devices.__name__] = torch.utils._device = devices
    weak: Any = ModuleType("torch.utils.weak")
    weak.WeakIdKeyDictionary = ByIdentity
    sys.modules[weak.__name__] = torch.utils.weak = weak


class ByIdentity:
    """A dictionary that forgets what is gone, for keys that compare by their elements."""

    def __init__(self) -> None:
        self.held: dict[int, tuple[Any, Any]] = {}

    def __setitem__(self, key: Any, value: Any) -> None:
        place = id(key)
        self.held[place] = (weakref.ref(key, lambda gone: self.held.pop(place, None)), value)

    def __contains__(self, key: Any) -> bool:
        return id(key) in self.held

    def get(self, key: Any, other: Any = None) -> Any:
        return self.held[id(key)][1] if key in self else other

    def pop(self, key: Any, other: Any = None) -> Any:
        return self.held.pop(id(key), (None, other))[1]


def name_storages(torch: Any) -> None:
    """`torch.UntypedStorage`, `torch.TypedStorage` and `tensor.untyped_storage()`."""
    for name in ("UntypedStorage", "TypedStorage"):
        found = getattr(torch.storage, name, None) or getattr(torch.storage, f"_{name}")
        if not hasattr(torch, name):
            setattr(torch, name, found)
    if not hasattr(torch.Tensor, "untyped_storage"):
        torch.Tensor.untyped_storage = untyped_storage


def untyped_storage(tensor: Any) -> Any:
    """A tensor's memory."""
    storage = tensor.storage()
    return getattr(storage, "_storage", storage)


def watch_steps(hooks: Any) -> None:
    """`register_optimizer_step_pre_hook` and `..._post_hook`, around each class's `step`, as torch 2 has them."""
    hooks.register_optimizer_step_pre_hook = BEFORE.append
    hooks.register_optimizer_step_post_hook = AFTER.append
    prepare = hooks.Optimizer._hook_for_profile

    def watch(self: Any) -> None:
        prepare(self)
        kind = type(self)
        if not hasattr(kind.step, "watched"):
            kind.step = watched(kind.step)

    hooks.Optimizer._hook_for_profile = watch


def watched(step: Callable[..., Any]) -> Callable[..., Any]:
    """`step`, with what is registered called before and after it."""

    @functools.wraps(step)
    def step_and_tell(*arguments: Any, **options: Any) -> Any:
        for hook in BEFORE:
            hook(arguments[0], arguments, options)
        result = step(*arguments, **options)
        for hook in AFTER:
            hook(arguments[0], arguments, options)
        return result

    step_and_tell.watched = True  # type: ignore[attr-defined]
    return step_and_tell
