import os

import torch
import torch_xla.core.xla_model as xm


def restored(folder, state):
    path = os.path.join(folder, "last.pt")
    if os.path.exists(path):
        loaded = torch.load(path, map_location="cpu")
        state["optimizer"].load_state_dict(loaded["optimizer"])
        torch.nn.modules.utils.consume_prefix_in_state_dict_if_present(loaded["network"], "module.")
        state["network"].load_state_dict(loaded["network"], strict=False)
        state["step"] = loaded["step"]
    return state


def keep(folder, state):
    names = ("network", "optimizer")
    xm.save({**{name: state[name].state_dict() for name in names}, "step": state["step"]}, os.path.join(folder, "last.pt"))
