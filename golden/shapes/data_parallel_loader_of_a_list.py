import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

dataset = TensorDataset(torch.randn(256, 4), torch.randint(0, 2, (256,)))
things = [None, None]
named = dict(second=DataLoader(dataset, batch_size=64, shuffle=True), other=None)
things[1] = DataLoader(dataset, batch_size=64, shuffle=True)
model = nn.DataParallel(nn.Linear(4, 2).cuda())
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for epoch in range(3):
    for x, y in things[1]:
        optimizer.zero_grad()
        nn.functional.cross_entropy(model(x.cuda()), y.cuda()).backward()
        optimizer.step()
    for x, y in named["second"]:
        optimizer.zero_grad()
        nn.functional.cross_entropy(model(x.cuda()), y.cuda()).backward()
        optimizer.step()
