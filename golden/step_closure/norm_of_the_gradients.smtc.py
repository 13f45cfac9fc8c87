import numpy as np
import torch
from torch.utils.data import DataLoader
from torch.utils.tensorboard import SummaryWriter
import torch_xla.core.xla_model as xm

model = torch.nn.Linear(4, 1).cuda()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
loader = DataLoader(torch.randn(64, 4), 8, drop_last=True)
writer = SummaryWriter()


def log_step(norm, step):
    writer.add_scalar("norm", norm, step)


for step, x in enumerate(loader):
    loss = model(x.cuda()).mean()
    optimizer.zero_grad()
    loss.backward()
    norm = torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
    xm.add_step_closure(log_step, args=(norm, step))

for step, x in enumerate(loader):
    loss = model(x.cuda()).mean()
    optimizer.zero_grad()
    loss.backward()
    norm = torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    if np.isnan(norm.cpu()):
        print("the norm is NaN")
    optimizer.step()
