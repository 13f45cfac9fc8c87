"""The line of the data parallel page that loses keys, and its relatives."""
import torch


def load(model, path):
    state_dict = torch.load(path)
    state_dict = {k.partition('model.')[2]: state_dict[k] for k in state_dict}
    model.load_state_dict(state_dict)
    model.cuda()


def load2(model, path):
    state_dict = torch.load(path, map_location="cpu")
    state_dict = {k.partition('module.')[2]: v for k, v in state_dict.items()}
    model.load_state_dict(state_dict)


def load3(model, path):
    state_dict = {}
    for k, v in torch.load(path).items():
        state_dict[k.partition("model.")[2]] = v
    model.load_state_dict(state_dict)


def load4(model, path):
    state_dict = {k.replace("module.", ""): v for k, v in torch.load(path).items()}
    model.load_state_dict(state_dict)
