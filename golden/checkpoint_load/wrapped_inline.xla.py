import torch

net = torch.nn.DataParallel(torch.nn.Linear(2, 2))
state_dict = torch.load("net.pt", map_location="cpu")
torch.nn.modules.utils.consume_prefix_in_state_dict_if_present(state_dict, "module.")
net.load_state_dict(state_dict)
torch.save(net.state_dict(), "net.pt")
