import torch
from torch_xla.amp import autocast as torch_autocast


class autocast:
    """The project's own."""


with torch_autocast():
    net(x)
