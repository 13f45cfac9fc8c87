"""Clips gradients, anneals the learning rate over a cycle, prints tensors."""

import torch
import torch_xla.core.xla_model as xm
import torch_xla.distributed.parallel_loader as pl
from torch import nn

torch.manual_seed(0)
device = xm.xla_device()
model = nn.Sequential(nn.Linear(10, 20), nn.GELU(), nn.Linear(20, 4)).to(device)
optimizer = torch.optim.AdamW(model.parameters(), lr=0.01, weight_decay=0.05)
scheduler = torch.optim.lr_scheduler.OneCycleLR(optimizer, max_lr=0.05, total_steps=20)
data = torch.utils.data.TensorDataset(torch.randn(40, 10), torch.randint(0, 4, (40,)))
loader = pl.MpDeviceLoader(torch.utils.data.DataLoader(data, batch_size=4, drop_last=True), device)
for epoch in range(2):
    for step, (inputs, labels) in enumerate(loader):
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(inputs), labels, label_smoothing=0.1)
        loss.backward()
        xm.reduce_gradients(optimizer)
        norm = torch.nn.utils.clip_grad_norm_(model.parameters(), 0.5)
        optimizer.step()
        scheduler.step()
        if step % 5 == 0:
            print(epoch, step, loss, norm)
