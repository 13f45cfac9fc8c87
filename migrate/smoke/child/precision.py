"""Keeps both sides in float32, so that their losses can be compared number by number.

An autocast region is bfloat16 on XLA, float16 on CUDA and nothing at all on the CPU stand-in: what it computes differs
from device to device by more than any migration error one wants to see. The comparison is therefore made with autocast
forced off on both sides; that the regions are the right ones is the goldens' business, not a matter of losses.
"""

from __future__ import annotations

from typing import Any


def install(torch: Any, force_float32: bool) -> None:
    """Turn off reduced matmul precision and, with `force_float32`, every autocast region of either side."""
    # "high" and "medium" let the CPU multiply float32 matrices in bfloat16 (torch.set_float32_matmul_precision).
    torch.set_float32_matmul_precision = lambda precision: None
    if force_float32:
        autocast = torch.amp.autocast_mode.autocast
        start = autocast.__init__

        def disabled(
            self: Any, device_type: str, dtype: Any = None, enabled: bool = True, cache_enabled: bool | None = None
        ) -> None:
            start(self, device_type, dtype=dtype, enabled=False, cache_enabled=cache_enabled)

        autocast.__init__ = disabled
