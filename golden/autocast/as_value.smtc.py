import torch
from torch_xla.amp import autocast
from contextlib import suppress

amp_autocast = suppress
if args.native_amp:
    amp_autocast = autocast
for x, y in loader:
    with amp_autocast():
        net(x)
with autocast():
    net(x)
