import torch


def load(model, checkpoint):
    model.load_state_dict({k.partition("module.")[2]: v for k, v in checkpoint.items() if "head" not in k})
