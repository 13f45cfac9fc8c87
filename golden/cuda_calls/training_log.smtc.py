import time

import torch
import torch_xla.core.xla_model as xm


def train(model, loader, optimizer, gpu, epoch):
    xm.mark_step()
    xm.wait_device_ops()
    start = time.time()
    device = xm.xla_device()
    for i, (x, y) in enumerate(loader):
        loss = model(x, y)
        loss.backward()
        optimizer.step()
        if i % 10 == 0:
            # memory of this GPU
            print(f"step {i} mem {((xm.get_memory_info(device)['kb_total'] - xm.get_memory_info(device)['kb_free']) * 1024) / 2**20:.0f}MB")
    xm.mark_step()  # for the clock
    xm.wait_device_ops()
    print("epoch", epoch, time.time() - start, ((xm.get_memory_info(device)["kb_total"] - xm.get_memory_info(device)["kb_free"]) * 1024) >> 20)
