"""torch_xla itself: `import torch_xla` binds these modules too, and no more."""

from __future__ import annotations

import torch  # noqa: F401
import torch_xla.core.xla_model
import torch_xla.debug.metrics
from tc_migrate_child import standin

if standin.version >= (2, 1):
    import torch_xla.runtime
if standin.version >= (2, 3):
    import torch_xla.distributed.xla_multiprocessing
    import torch_xla.torch_xla
    from torch_xla.torch_xla import xm, xmp, xr  # noqa: F401
if standin.version >= (2, 9):
    import torch_xla.distributed.xla_backend  # noqa: F401

__version__ = f"{standin.version[0]}.{standin.version[1]}.0+standin"
