import torch.nn as nn


def get_model(name, config, device, frozen=False):
    model = nn.Linear(**config) if name == "linear" else nn.Bilinear(**config)
    if frozen:
        model.requires_grad_(False)
    return place(model, device)


def place(model, where):
    return model.to(where)
