from functools import partial

import torch
from torch.cuda.amp import autocast, GradScaler
from contextlib import nullcontext

scaler = GradScaler()
with autocast():
    loss = net(x)
with torch.no_grad(), autocast(enabled=args.amp):
    loss = net(x)  # evaluated
with torch.autocast("cuda", dtype=torch.float16, enabled=True):
    loss = net(x)
with torch.autocast(device_type='cuda', dtype=torch.bfloat16):
    loss = net(x)
with autocast(enabled=False):
    loss = loss.float()
ctx = nullcontext() if device_type == 'cpu' else torch.amp.autocast(device_type=device_type, dtype=ptdtype)
run = partial(torch.autocast, device_type="cuda", dtype=torch.float16)


@autocast()
def forward(x):
    return net(x)
