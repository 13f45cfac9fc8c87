"""A wrapper of another library drives the GPUs too; what it does with one device nobody can know here."""

import torch
from balanced import DataParallelWithCallback
from torch import nn

model = nn.Linear(4, 1).cuda()
if torch.cuda.device_count() > 1:
    model = DataParallelWithCallback(model, device_ids=[0, 1])
torch.distributed.barrier(device_ids=[0])
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
