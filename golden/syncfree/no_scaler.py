import torch

optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
optimizer.step()
