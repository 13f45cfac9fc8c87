import functools

import torch

load = functools.partial(torch.load, map_location="cpu")
lazy = functools.partial(torch.load, map_location="cpu")
weights = torch.hub.load_state_dict_from_url("https://example.org/weights.pt", None, "cpu")
net = torch.nn.Linear(4, 2).cuda()
net.load_state_dict(weights)
