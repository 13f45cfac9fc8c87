import torch


def read(path, **options):
    options["map_location"] = "cpu"
    return torch.load(path, **options)


def read_either(path, **options):
    options.setdefault("map_location", "cpu")
    return torch.load(path, **options)


net = torch.nn.Linear(4, 2).cuda()
