"""The line of the data parallel page that loses keys, and its relatives."""
import torch
import torch_xla


def load(model, path):
    state_dict = torch.load(path, map_location="cpu")
    state_dict = {k.removeprefix('model.'): state_dict[k] for k in state_dict}
    model.load_state_dict(state_dict)
    device = torch_xla.device()
    model.to(device)


def load2(model, path):
    state_dict = torch.load(path, map_location="cpu")
    state_dict = {k.removeprefix('module.'): v for k, v in state_dict.items()}
    model.load_state_dict(state_dict)


def load3(model, path):
    state_dict = {}
    for k, v in torch.load(path, map_location="cpu").items():
        state_dict[k.removeprefix("model.")] = v
    model.load_state_dict(state_dict)


def load4(model, path):
    state_dict = {k.replace("module.", ""): v for k, v in torch.load(path, map_location="cpu").items()}
    model.load_state_dict(state_dict)
