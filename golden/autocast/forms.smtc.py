from functools import partial

import torch
from torch.cuda.amp import GradScaler
from torch_xla.amp import autocast
from contextlib import nullcontext

scaler = GradScaler()
with autocast():
    loss = net(x)
with torch.no_grad(), autocast(enabled=args.amp):
    loss = net(x)  # evaluated
with autocast(dtype=torch.float16):
    loss = net(x)
with autocast(dtype=torch.bfloat16):
    loss = net(x)
with autocast(enabled=False):
    loss = loss.float()
ctx = nullcontext() if device_type == 'cpu' else autocast(dtype=ptdtype)
run = partial(autocast, dtype=torch.float16)


@autocast()
def forward(x):
    return net(x)
