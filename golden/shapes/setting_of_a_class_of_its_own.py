import torch
from torch import nn


class Munch(dict):
    def __getattr__(self, name):
        return self[name]


config = Munch(device="cuda", batch=8)
used = Munch(device="cuda", lr=0.1)
device = torch.device("cuda")
model = nn.Linear(4, 2).to(device)
head = nn.Linear(2, 2).to(used.device)
optimizer = torch.optim.SGD([*model.parameters(), *head.parameters()], lr=used.lr)
for epoch in range(3):
    optimizer.zero_grad()
    head(model(torch.ones(config.batch, 4, device=device))).sum().backward()
    optimizer.step()
