import time

import torch
import torch_xla
import torch_xla.core.xla_model as xm


def train(model, loader, optimizer, gpu, epoch):
    torch_xla.sync(wait=True)
    start = time.time()
    device = torch_xla.device()
    for i, (x, y) in enumerate(loader):
        loss = model(x, y)
        loss.backward()
        optimizer.step()
        if i % 10 == 0:
            # memory of this GPU
            print(f"step {i} mem {xm.get_memory_info(device)['bytes_used'] / 2**20:.0f}MB")
    torch_xla.sync(wait=True)  # for the clock
    print("epoch", epoch, time.time() - start, xm.get_memory_info(device)["bytes_used"] >> 20)
