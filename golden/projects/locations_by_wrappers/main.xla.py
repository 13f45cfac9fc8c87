import os
import pickle
from functools import partial

import torch
from torch import nn
import torch_xla
import torch_xla.core.xla_model as xm

from storage import Store, dev, read, read_at, read_twice

load_here = partial(torch.load, map_location="cpu")
load_any = partial(torch.load, weights_only=True, map_location="cpu")
LOADERS = {".pt": torch.load, ".pkl": pickle.load}


def main():
    model = nn.Linear(4, 1)
    model.to(dev())
    device = torch_xla.device()
    if os.path.exists("model.pt"):
        model.load_state_dict(read("model.pt", map_location=dev()))
        model.load_state_dict(read_at("model.pt", dev()))
        model.load_state_dict(read_twice("model.pt", map_location=dev()))
        model.load_state_dict(Store(map_location=device).read("model.pt"))
        model.load_state_dict(load_here("model.pt"))
        model.load_state_dict(load_any("model.pt"))
        model.load_state_dict(LOADERS[".pt"]("model.pt", map_location="cpu"))
        read_later = lambda path, **more: torch.load(path, **{**more, "map_location": "cpu"})
        model.load_state_dict(read_later("model.pt", map_location=dev()))
        model.load_state_dict(torch.hub.load_state_dict_from_url("https://x.org/m.pt", map_location="cpu"))
        model.load_state_dict(torch.load("model.pt", map_location="cpu", **{"weights_only": True}))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for step in range(3):
        optimizer.zero_grad()
        model(torch.ones(8, 4).to(dev())).mean().backward()
        xm.optimizer_step(optimizer, barrier=True)
    xm.save(model.state_dict(), "model.pt")


if __name__ == "__main__":
    main()
