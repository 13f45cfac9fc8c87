import torch

PREFIX = "_orig_mod."


def load(model, path):
    state = torch.load(path, map_location="cpu")
    for k in list(state):
        if k.startswith(PREFIX):
            state[k[len(PREFIX) :]] = state.pop(k)
    model.load_state_dict(state)


def of_either(model, state):
    new = {}
    for k, v in state.items():
        if k.startswith("_orig_mod."):
            new[k[10:]] = v
        else:
            new[k] = v
    if hasattr(model, "_orig_mod"):
        model = model._orig_mod
    inner = getattr(model, "_orig_mod", model)
    inner.load_state_dict({k.replace("_orig_mod.", ""): v for k, v in new.items()})
    print(f"_orig_mod. taken off {len(new)} keys", "_orig_mod." + "was taken off")
    if not any(k.startswith(PREFIX) for k in state):
        print("no compiled model")
    return [k for k in state if not k.startswith("_orig_mod")]
