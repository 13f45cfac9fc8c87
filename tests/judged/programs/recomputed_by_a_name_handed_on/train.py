import torch
from net import Net

model = Net().cuda()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for _ in range(10):
    loss = model(torch.randn(4, 8).cuda()).sum()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
