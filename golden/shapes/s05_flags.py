"""A flag that is `store_false`, code behind is_available(), a default that is on."""
import argparse

import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset

parser = argparse.ArgumentParser()
parser.add_argument("--cuda", action="store_false", help="do not use CUDA")
opt = parser.parse_args()
print(opt)

if opt.cuda and not torch.cuda.is_available():
    raise Exception("No GPU found, please run without --cuda")

model = nn.Linear(8, 1)
criterion = nn.MSELoss()
if opt.cuda:
    model = model.cuda()
    criterion = criterion.cuda()
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
loader = DataLoader(TensorDataset(torch.randn(64, 8), torch.randn(64, 1)), batch_size=16, drop_last=True)

for epoch in range(2):
    for x, y in loader:
        if opt.cuda:
            x = x.cuda()
            y = y.cuda()
        optimizer.zero_grad()
        loss = criterion(model(x), y)
        loss.backward()
        optimizer.step()
    if torch.cuda.is_available():
        print("memory", torch.cuda.max_memory_allocated())
