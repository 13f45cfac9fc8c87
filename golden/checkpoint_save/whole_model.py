import torch

net = torch.nn.Linear(2, 2)
torch.save(net, "net.pt")
