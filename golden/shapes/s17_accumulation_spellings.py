"""Accumulation without a modulo: a counter, the last batch of the epoch, and a step skipped with continue."""
import torch
from torch.utils.data import DataLoader

device = torch.device("cuda:0")
model = torch.nn.Linear(16, 4).to(device)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
loader = DataLoader(torch.load("data.pt"), batch_size=8, drop_last=True)
accumulate, last = 4, -1

for ni, (x, y) in enumerate(loader):
    loss = torch.nn.functional.cross_entropy(model(x.to(device)), y.to(device))
    loss.backward()
    if ni - last >= accumulate:
        torch.nn.utils.clip_grad_norm_(model.parameters(), 10.0)
        optimizer.step()
        optimizer.zero_grad()
        last = ni

for step, (x, y) in enumerate(loader):
    loss = torch.nn.functional.cross_entropy(model(x.to(device)), y.to(device)) / accumulate
    loss.backward()
    if (step + 1) % accumulate == 0 or step == len(loader) - 1:
        optimizer.step()
        optimizer.zero_grad()

for step, (x, y) in enumerate(loader):
    loss = torch.nn.functional.cross_entropy(model(x.to(device)), y.to(device)) / accumulate
    loss.backward()
    if (step + 1) % accumulate:
        continue
    optimizer.step()
    optimizer.zero_grad()
