"""Writing at an index that changes compiles every step anew."""
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset

model = nn.Linear(8, 2).cuda()
criterion = nn.CrossEntropyLoss()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
loader = DataLoader(TensorDataset(torch.randn(64, 8), torch.randint(0, 2, (64,))), batch_size=8, drop_last=True)
losses = torch.zeros(len(loader)).cuda()
for i, (x, y) in enumerate(loader):
    x, y = x.cuda(), y.cuda()
    loss = criterion(model(x), y)
    losses[i] = loss
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(losses.mean())
