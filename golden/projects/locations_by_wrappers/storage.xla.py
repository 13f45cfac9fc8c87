import io

import torch
import torch_xla


def dev():
    return torch_xla.device()


def read(path, **kwargs):
    with open(path, "rb") as file:
        data = file.read()
    kwargs["map_location"] = "cpu"
    return torch.load(io.BytesIO(data), **kwargs)


def read_at(path, where):
    return torch.load(path, "cpu")


def read_twice(path, **kwargs):
    print("reads with", kwargs)
    return torch.load(path, **{**kwargs, "map_location": "cpu"})


def read_host(path, **kwargs):
    return torch.load(path, **kwargs)


class Store:
    def __init__(self, **options):
        self.options = options
        self.host = read_host("other.pt", map_location="cpu")

    def read(self, path):
        return torch.load(path, **{**self.options, "map_location": "cpu"})
