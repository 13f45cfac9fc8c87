import torch


def place(model, device=None):
    if device is None:
        device = 0
    if device == -1:
        return model
    return model.to(torch.device("cpu") if device < 0 else torch.device(f"cuda:{device}"))
