import torch


def compiled_for_xla(model, path):
    """It stays, and so does the prefix."""
    model = torch.compile(model, backend="openxla")
    model.load_state_dict(torch.load(path, map_location="cpu"))
    return model


def compiled(model):
    return torch.compile(model, dynamic=False)
