"""Writing at an index that changes compiles every step anew."""
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset
import torch_xla
import torch_xla.core.xla_model as xm
import torch_xla.distributed.parallel_loader as pl

device = torch_xla.device()
model = nn.Linear(8, 2).to(device)
criterion = nn.CrossEntropyLoss()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
loader = DataLoader(TensorDataset(torch.randn(64, 8), torch.randint(0, 2, (64,))), batch_size=8, drop_last=True)
loader = pl.MpDeviceLoader(loader, device)
losses = torch.zeros(len(loader)).to(device)
for i, (x, y) in enumerate(loader):
    loss = criterion(model(x), y)
    losses[i] = loss
    optimizer.zero_grad()
    loss.backward()
    xm.optimizer_step(optimizer)
print(losses.mean())
