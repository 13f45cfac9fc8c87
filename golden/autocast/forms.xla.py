from functools import partial

import torch
from torch.cuda.amp import GradScaler
from contextlib import nullcontext

scaler = GradScaler()
with torch.autocast("xla", dtype=torch.bfloat16):
    loss = net(x)
with torch.no_grad(), torch.autocast("xla", dtype=torch.bfloat16, enabled=args.amp):
    loss = net(x)  # evaluated
with torch.autocast("xla", dtype=torch.bfloat16):
    loss = net(x)
with torch.autocast("xla", dtype=torch.bfloat16):
    loss = net(x)
with torch.autocast("xla", dtype=torch.bfloat16, enabled=False):
    loss = loss.float()
ctx = nullcontext() if device_type == 'cpu' else torch.autocast("xla", dtype=ptdtype)
run = partial(torch.autocast, "xla", dtype=torch.bfloat16)


@torch.autocast("xla", dtype=torch.bfloat16)
def forward(x):
    return net(x)
