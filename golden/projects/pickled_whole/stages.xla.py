import os

import torch
import torch_xla


def begin(path):
    """Where the run was: the file holds its arguments, too."""
    if not os.path.exists(path):
        return 0
    checkpoint = torch.load(path, map_location=lambda storage, loc: storage, weights_only=False)
    print(checkpoint["args"])
    return checkpoint["epoch"] + 1


def continue_from(path, model):
    """A plain state needs nothing."""
    state = torch.load(path, map_location="cpu")
    model.load_state_dict(state["weights"])
    return state["number"]


def scores(path):
    device = torch_xla.device()
    return torch.load(path, weights_only=False, map_location="cpu").eval().to(device)(torch.zeros(1, 4).to(device)).mean().item()
