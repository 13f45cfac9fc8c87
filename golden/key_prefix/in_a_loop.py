import torch


def load(model, checkpoint):
    state = {}
    for key, value in checkpoint["state_dict"].items():
        # DistributedDataParallel put it there
        state[key.partition("module.")[2]] = value
    model.load_state_dict(state)
