import torch
import torch_xla.core.xla_model as xm
from tools import rank_zero_only


@rank_zero_only
def save(model, path):
    xm.save(model.state_dict(), path)


@torch.no_grad()
def export(model, path):
    xm.save(model.state_dict(), path)
