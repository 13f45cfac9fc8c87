import torch
import functools
from contextlib import suppress

amp_autocast = suppress
if args.native_amp:
    amp_autocast = functools.partial(torch.autocast, "xla", dtype=torch.bfloat16)
for x, y in loader:
    with amp_autocast():
        net(x)
with torch.autocast("xla", dtype=torch.bfloat16):
    net(x)
