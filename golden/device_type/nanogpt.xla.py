from contextlib import nullcontext

import torch

device = 'cuda'
device_type = 'xla' if device.type == 'xla' else 'cpu'
ctx = nullcontext() if device_type == 'cpu' else torch.amp.autocast(device_type=device_type)


def get_batch(x, y):
    if device_type == 'xla':
        x, y = x.pin_memory().to(device, non_blocking=True), y.pin_memory().to(device, non_blocking=True)
    else:
        x, y = x.to(device), y.to(device)
    return x, y


use_fused = device_type == 'cuda'
