"""Directories of another machine, by functions of the same name."""

import torch
from remote import connect

model = torch.nn.DataParallel(torch.nn.Linear(4, 1).cuda())
client = connect("store")
client.mkdir("/runs")
client.makedirs("/runs/first")
