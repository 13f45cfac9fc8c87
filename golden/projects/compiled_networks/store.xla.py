import torch

PREFIX = "_orig_mod"


def resume(model, path):
    checkpoint = torch.load(path, map_location="cpu")
    torch.nn.modules.utils.consume_prefix_in_state_dict_if_present(checkpoint["model"], "_orig_mod.")
    model.load_state_dict(checkpoint["model"], strict=False)
    return checkpoint["step"]


def weights_of(model):
    return model.state_dict()


def load_pretrained(model, path):
    state = torch.load(path, map_location="cpu")
    state = {k.replace("_orig_mod.", ""): v for k, v in state.items()}
    model.load_state_dict(state)


def for_compiled(state):
    if not all(k.startswith(PREFIX) for k in state):
        raise RuntimeError("the model was not compiled")
    return {PREFIX + "." + k.removeprefix("model."): v for k, v in state.items()}


def of_compiled(state):
    return {k[10:]: v for k, v in state.items() if k.startswith("_orig_mod.")}


def of_either(state):
    for k in list(state):
        if k.startswith("_orig_mod."):
            state[k[len("_orig_mod.") :]] = state.pop(k)
    return state
