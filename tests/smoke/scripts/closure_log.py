"""Logs through step closures, as torch_xla's own examples do."""

import torch
import torch_xla.core.xla_model as xm
import torch_xla.distributed.parallel_loader as pl
from torch import nn

torch.manual_seed(0)
device = xm.xla_device()
model = nn.Sequential(nn.Flatten(), nn.Linear(36, 10)).to(device)
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
data = torch.utils.data.TensorDataset(torch.randn(64, 1, 6, 6), torch.randint(0, 10, (64,)))
loader = pl.MpDeviceLoader(torch.utils.data.DataLoader(data, batch_size=8), device)


def log(step, loss):
    print(step, loss.item())


for step, (inputs, labels) in enumerate(loader):
    optimizer.zero_grad()
    loss = nn.functional.nll_loss(nn.functional.log_softmax(model(inputs), dim=1), labels)
    loss.backward()
    xm.optimizer_step(optimizer)
    if step % 2 == 0:
        xm.add_step_closure(log, args=(step, loss))
