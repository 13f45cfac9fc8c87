import torch

net = torch.nn.DataParallel(torch.nn.Linear(2, 2))
net.load_state_dict(torch.load("net.pt"))
torch.save(net.state_dict(), "net.pt")
