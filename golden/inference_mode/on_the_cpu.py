import torch

net = torch.nn.Linear(2, 2)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
optimizer.step()
with torch.inference_mode():
    net(x)
