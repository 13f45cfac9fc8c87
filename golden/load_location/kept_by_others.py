import functools

import torch

load = functools.partial(torch.load, map_location="cuda:0")
lazy = functools.partial(torch.load)
weights = torch.hub.load_state_dict_from_url("https://example.org/weights.pt", None, torch.device("cuda"))
net = torch.nn.Linear(4, 2).cuda()
net.load_state_dict(weights)
