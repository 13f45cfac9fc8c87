import torch


def resume(model, optimizer, path):
    state = torch.load(path, map_location="cpu")
    model.load_state_dict(state["model"])
    optimizer.load_state_dict(state["optimizer"])


def resume_all(optimizers, path):
    state = torch.load(path, map_location="cpu")
    for name, optimizer in optimizers.items():
        optimizer.load_state_dict(state[name])


def best_of(optimizer, other):
    optimizer.load_state_dict(other.state_dict())
