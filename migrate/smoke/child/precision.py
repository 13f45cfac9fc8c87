"""Keeps both sides in float32, so that their losses can be compared number by number, and notes what autocast covers.

An autocast region is bfloat16 on XLA, float16 on CUDA and nothing at all on the CPU stand-in: what it computes differs
from device to device by more than any migration error one wants to see. The comparison is therefore made with autocast
forced off on both sides. That the regions are the same is seen by counting the modules that are called inside.
"""

from __future__ import annotations

import functools
import importlib
from typing import Any

from . import double

ACTS_ON = {"cuda": ("cuda",), "smtc": ("cuda", "xla"), "xla": ("xla",)}
"""Device types whose autocast acts on the device of a side; torch_xla 1.x has CUDA's."""

coverage = [0, 0]
"""Calls of leaf modules while gradients are recorded: inside an enabled autocast region, and outside."""

regions: list[bool] = []
"""The autocast regions around what is being executed, outermost first: whether the script enabled them."""


def install(torch: Any, order: dict[str, Any]) -> None:
    """Turn off reduced matmul precision, and by the order every autocast region, or float32 altogether."""
    # "high" and "medium" let the CPU multiply float32 matrices in bfloat16 (torch.set_float32_matmul_precision).
    torch.set_float32_matmul_precision = lambda precision: None
    torch.set_num_threads(order["threads"])
    watch_autocast(torch, ACTS_ON[order["side"]], order["force_float32"])
    count_calls(torch)
    if order["double"]:
        double.install(torch)


def watch_autocast(torch: Any, types: tuple[str, ...], force_float32: bool) -> None:
    """Keep the stack of regions; with `force_float32` none of them does anything."""
    autocast = torch.amp.autocast_mode.autocast
    start, enter, leave = autocast.__init__, autocast.__enter__, autocast.__exit__

    @functools.wraps(start)
    def begin(
        self: Any, device_type: str, dtype: Any = None, enabled: bool = True, cache_enabled: bool | None = None
    ) -> None:
        self.wanted = bool(enabled) and device_type in types
        start(self, device_type, dtype=dtype, enabled=enabled and not force_float32, cache_enabled=cache_enabled)

    def enter_region(self: Any) -> Any:
        regions.append(self.wanted)
        return enter(self)

    def leave_region(self: Any, *exception: Any) -> Any:
        regions.pop()
        return leave(self, *exception)

    autocast.__init__, autocast.__enter__, autocast.__exit__ = begin, enter_region, leave_region


def count_calls(torch: Any) -> None:
    """Count calls of leaf modules in training. They are the same ones on both sides, whatever wraps the model."""

    def count(module: Any, arguments: Any) -> None:
        if torch.is_grad_enabled() and not module._modules:
            coverage[0 if regions and regions[-1] else 1] += 1

    importlib.import_module("torch.nn.modules.module").register_module_forward_pre_hook(count)
