import torch

net = torch.nn.DataParallel(torch.nn.Linear(2, 2))
state = torch.load("net.pt")
if "model" in state:
    state = state["model"]
net.load_state_dict(state)
torch.save(net.state_dict(), "net.pt")
