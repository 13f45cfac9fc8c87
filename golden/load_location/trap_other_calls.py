import functools

import torch


def draw(image, map_location):
    return image, map_location


net = torch.nn.Linear(4, 2).cuda()
draw(net, map_location=torch.device("cpu"))
plot = functools.partial(draw, map_location="cuda")
weights = torch.hub.load_state_dict_from_url("https://example.org/weights.pt")
