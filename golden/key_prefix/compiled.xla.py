import torch

PREFIX = "_orig_mod"


def for_compiled(path):
    state = torch.load(path, map_location="cpu")
    state = {"_orig_mod." + k: v for k, v in state.items()}
    return {f"{PREFIX}.{k}": v for k, v in state.items()}


def named(state):
    for k in list(state):
        state["_orig_mod.{}".format(k)] = state.pop(k)


def refused(state):
    assert all(k.startswith("_orig_mod.") for k in state)
    for k in state:
        if PREFIX not in k:
            raise ValueError("compile the model")


def left_out(state):
    new = {}
    for k, v in state.items():
        if k.startswith("_orig_mod."):
            new[k[10:]] = v
    return new, {k[10:]: v for k, v in state.items() if "_orig_mod." in k}


def cut(state):
    return {k.removeprefix("_orig_mod."): v for k, v in state.items()}
