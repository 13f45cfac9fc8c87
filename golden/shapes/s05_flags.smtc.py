"""A flag that is `store_false`, code behind is_available(), a default that is on."""
import argparse

import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset
import torch_xla.core.xla_model as xm
import torch_xla.distributed.parallel_loader as pl

parser = argparse.ArgumentParser()
parser.add_argument("--cuda", action="store_false", help="do not use CUDA")
opt = parser.parse_args()
print(opt)

model = nn.Linear(8, 1)
criterion = nn.MSELoss()
device = xm.xla_device()
if opt.cuda:
    model = model.to(device)
    criterion = criterion.to(device)
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
loader = DataLoader(TensorDataset(torch.randn(64, 8), torch.randn(64, 1)), batch_size=16, drop_last=True)
loader = pl.MpDeviceLoader(loader, device) if opt.cuda else loader

for epoch in range(2):
    for x, y in loader:
        optimizer.zero_grad()
        loss = criterion(model(x), y)
        loss.backward()
        xm.optimizer_step(optimizer)
    print("memory", (xm.get_memory_info(device)["kb_total"] - xm.get_memory_info(device)["kb_free"]) * 1024)
