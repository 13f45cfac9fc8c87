import torch


def load(model, checkpoint):
    state = {}
    for key, value in checkpoint["state_dict"].items():
        # DistributedDataParallel put it there
        state[key[len("module.") :] if key.startswith("module.") else key] = value
    model.load_state_dict(state)
