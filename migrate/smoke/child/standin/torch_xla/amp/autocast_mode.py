"""torch_xla.amp.autocast_mode: regions of reduced precision, on whatever device serves the xla devices."""

from __future__ import annotations

from typing import Any

import torch
from tc_migrate_child import standin

if standin.version >= (2, 1):

    class autocast(torch.autocast):
        """`torch.autocast("xla")`. torch_xla's own fails off GPUs and TPUs, which the stand-in does not."""

        def __init__(self, device: Any, enabled: bool = True, dtype: Any = None, cache_enabled: bool = True) -> None:
            if "xla" not in str(device):
                raise AssertionError("torch_xla.autocast is available for XLA:TPU, XLA:GPU")
            super().__init__("xla", dtype=dtype or torch.bfloat16, enabled=enabled, cache_enabled=cache_enabled)

else:

    class autocast(torch.autocast):  # type: ignore[no-redef]
        """Up to 2.0 the name was torch.cuda.amp.autocast's."""

        def __init__(self, enabled: bool = True, dtype: Any = torch.float16, cache_enabled: bool = True) -> None:
            super().__init__("xla", dtype=dtype, enabled=enabled, cache_enabled=cache_enabled)
