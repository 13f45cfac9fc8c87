import torch

net = torch.nn.Linear(2, 2)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
for x, y in data:
    loss = net(x, y)
    loss.backward()
    optimizer.step()
