import argparse

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset
import torch_xla.core.xla_model as xm
import torch_xla.distributed.parallel_loader as pl


parser = argparse.ArgumentParser()
parser.add_argument("--use_gpu", action="store_true")
args = parser.parse_args()


def to_var(x):
    if args.use_gpu:
        x = x.to(device)
    return x


device = xm.xla_device()
loader = DataLoader(TensorDataset(torch.randn(64, 4), torch.randint(2, (64,))), batch_size=8, shuffle=True)
loader = pl.MpDeviceLoader(loader, device) if args.use_gpu else loader
model = nn.Linear(4, 2)
if args.use_gpu:
    model = model.to(device)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for epoch in range(3):
    for x, y in loader:
        x, y = to_var(x), to_var(y)
        optimizer.zero_grad()
        nn.functional.cross_entropy(model(x), y).backward()
        xm.optimizer_step(optimizer)
