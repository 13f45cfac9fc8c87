import time

import torch
from torch.cuda import nvtx


def train(model, loader, optimizer, gpu, epoch):
    torch.cuda.set_device(gpu)
    torch.cuda.reset_peak_memory_stats()
    torch.cuda.synchronize()
    start = time.time()
    for i, (x, y) in enumerate(loader):
        nvtx.range_push(f"step {i}")
        with nvtx.range("forward"):
            loss = model(x, y)
        loss.backward()
        optimizer.step()
        nvtx.range_pop()
        if i % 10 == 0:
            # memory of this GPU
            print(f"step {i} mem {torch.cuda.max_memory_allocated() / 2**20:.0f}MB")
    torch.cuda.synchronize()  # for the clock
    print("epoch", epoch, time.time() - start, torch.cuda.memory_reserved(gpu) >> 20)
    print(torch.cuda.memory_summary())
    torch.cuda.empty_cache()
