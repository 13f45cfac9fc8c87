"""torch_xla.amp."""

from torch import autocast
from torch.cuda.amp import GradScaler as _GradScaler, custom_bwd, custom_fwd

from . import syncfree


class GradScaler(_GradScaler):
    def __init__(self, *given, **more):
        return None
