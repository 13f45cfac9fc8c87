import torch
from tools import rank_zero_only


@rank_zero_only
def save(model, path):
    torch.save(model.state_dict(), path)


@torch.no_grad()
def export(model, path):
    torch.save(model.state_dict(), path)
