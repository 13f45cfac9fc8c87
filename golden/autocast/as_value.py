import torch
import torch.cuda.amp as amp
from contextlib import suppress

amp_autocast = suppress
if args.native_amp:
    amp_autocast = torch.cuda.amp.autocast
for x, y in loader:
    with amp_autocast():
        net(x)
with amp.autocast(True):
    net(x)
