import os
import pickle
from functools import partial

import torch
from torch import nn

from storage import Store, dev, read, read_at, read_twice

load_here = partial(torch.load, map_location=dev())
load_any = partial(torch.load, weights_only=True)
LOADERS = {".pt": torch.load, ".pkl": pickle.load}


def main():
    model = nn.Linear(4, 1)
    model.to(dev())
    if os.path.exists("model.pt"):
        model.load_state_dict(read("model.pt", map_location=dev()))
        model.load_state_dict(read_at("model.pt", dev()))
        model.load_state_dict(read_twice("model.pt", map_location=dev()))
        model.load_state_dict(Store(map_location="cuda:0").read("model.pt"))
        model.load_state_dict(load_here("model.pt"))
        model.load_state_dict(load_any("model.pt"))
        model.load_state_dict(LOADERS[".pt"]("model.pt", map_location=dev()))
        read_later = lambda path, **more: torch.load(path, **more)
        model.load_state_dict(read_later("model.pt", map_location=dev()))
        model.load_state_dict(torch.hub.load_state_dict_from_url("https://x.org/m.pt", map_location=dev()))
        model.load_state_dict(torch.load("model.pt", map_location=dev(), **{"weights_only": True}))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for step in range(3):
        optimizer.zero_grad()
        model(torch.ones(8, 4).to(dev())).mean().backward()
        optimizer.step()
    torch.save(model.state_dict(), "model.pt")


if __name__ == "__main__":
    main()
