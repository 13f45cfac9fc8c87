import os

import torch


def begin(path):
    """Where the run was: the file holds its arguments, too."""
    if not os.path.exists(path):
        return 0
    checkpoint = torch.load(path, map_location=lambda storage, loc: storage)
    print(checkpoint["args"])
    return checkpoint["epoch"] + 1


def continue_from(path, model):
    """A plain state needs nothing."""
    state = torch.load(path)
    model.load_state_dict(state["weights"])
    return state["number"]


def scores(path):
    return torch.load(path).eval().cuda()(torch.zeros(1, 4).cuda()).mean().item()
