import torch

net = torch.nn.DataParallel(torch.nn.Linear(2, 2))
net.module.load_state_dict(torch.load("net.pt", map_location="cpu"))
torch.save(net.module.state_dict(), "net.pt")
