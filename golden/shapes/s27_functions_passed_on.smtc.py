"""CUDA functions as values, and memory statistics inside f-strings."""
import time

import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset
import torch_xla.core.xla_model as xm
import torch_xla.distributed.parallel_loader as pl

cuda = True
device = xm.xla_device()
synchronize = (lambda: (xm.mark_step(), xm.wait_device_ops())) if cuda else lambda: None

model = nn.Linear(8, 2).to(device)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
loader = DataLoader(TensorDataset(torch.randn(64, 8), torch.randint(0, 2, (64,))), batch_size=8, drop_last=True)
loader = pl.MpDeviceLoader(loader, device)


def train(epoch):
    synchronize()
    start = time.time()
    for x, y in loader:
        optimizer.zero_grad()
        nn.functional.cross_entropy(model(x), y).backward()
        xm.optimizer_step(optimizer)
    synchronize()
    mem = f"{((xm.get_memory_info(device)['kb_total'] - xm.get_memory_info(device)['kb_free']) * 1024) / 1E9 if cuda else 0:.3g}G"
    print(f"epoch {epoch}: {time.time() - start:.1f}s {mem} on {xm.xla_device_hw(device)}")


for epoch in range(2):
    train(epoch)
