import numpy as np
import torch
from torch.utils.data import DataLoader
from torch.utils.tensorboard import SummaryWriter

model = torch.nn.Linear(4, 1).cuda()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
loader = DataLoader(torch.randn(64, 4), 8, drop_last=True)
writer = SummaryWriter()
for step, x in enumerate(loader):
    loss = model(x.cuda()).mean()
    optimizer.zero_grad()
    loss.backward()
    norm = torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
    writer.add_scalar("norm", norm, step)

for step, x in enumerate(loader):
    loss = model(x.cuda()).mean()
    optimizer.zero_grad()
    loss.backward()
    norm = torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    if np.isnan(norm.cpu()):
        print("the norm is NaN")
    optimizer.step()
