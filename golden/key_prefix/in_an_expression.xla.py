import torch


def load(model, checkpoint):
    model.load_state_dict({k.removeprefix("module."): v for k, v in checkpoint.items() if "head" not in k})
