import io

import torch


def read(path, **options):
    options["map_location"] = "cpu"
    return torch.load(path, **options)


def read_all(paths, device, **options):
    states = []
    for path in paths:
        with open(path, "rb") as file:
            states.append(torch.load(io.BytesIO(file.read()), **{**options, "map_location": "cpu"}))
    return states, [torch.load(path, map_location="cpu", **options) for path in paths]


net = torch.nn.Linear(4, 2).cuda()
net.load_state_dict(read("net.pt", map_location=torch.device("cuda")))
