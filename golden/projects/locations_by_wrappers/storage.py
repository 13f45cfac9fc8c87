import io

import torch


def dev():
    if torch.cuda.is_available():
        return torch.device("cuda")
    return torch.device("cpu")


def read(path, **kwargs):
    with open(path, "rb") as file:
        data = file.read()
    return torch.load(io.BytesIO(data), **kwargs)


def read_at(path, where):
    return torch.load(path, where)


def read_twice(path, **kwargs):
    print("reads with", kwargs)
    return torch.load(path, **kwargs)


def read_host(path, **kwargs):
    return torch.load(path, **kwargs)


class Store:
    def __init__(self, **options):
        self.options = options
        self.host = read_host("other.pt", map_location="cpu")

    def read(self, path):
        return torch.load(path, **self.options)
