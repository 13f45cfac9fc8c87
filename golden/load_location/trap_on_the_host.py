import functools

import torch


def read(path, **options):
    return torch.load(path, **options)


load = functools.partial(torch.load, map_location="cpu")
same = torch.hub.load_state_dict_from_url("https://example.org/weights.pt", map_location=torch.device("cpu"))
net = torch.nn.Linear(4, 2).cuda()
net.load_state_dict(read("net.pt", map_location="cpu"))
options = {"weights_only": True}
net.load_state_dict(torch.load("net.pt", map_location=lambda storage, where: storage, **options))
