import os

import torch


def restored(folder, state):
    path = os.path.join(folder, "last.pt")
    if os.path.exists(path):
        loaded = torch.load(path, map_location="cpu")
        state["optimizer"].load_state_dict(loaded["optimizer"])
        state["network"].load_state_dict(loaded["network"], strict=False)
        state["step"] = loaded["step"]
    return state


def keep(folder, state):
    names = ("network", "optimizer")
    torch.save({**{name: state[name].state_dict() for name in names}, "step": state["step"]}, os.path.join(folder, "last.pt"))
