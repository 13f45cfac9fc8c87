import torch


def load(model, checkpoint):
    model.load_state_dict({k[len("module.") :] if k.startswith("module.") else k: v for k, v in checkpoint.items() if "head" not in k})
