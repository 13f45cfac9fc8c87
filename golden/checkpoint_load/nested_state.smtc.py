import torch

net = torch.nn.DataParallel(torch.nn.Linear(2, 2))
state = torch.load("net.pt", map_location="cpu")
if "model" in state:
    state = state["model"]
torch.nn.modules.utils.consume_prefix_in_state_dict_if_present(state, "module.")
net.load_state_dict(state)
torch.save(net.state_dict(), "net.pt")
