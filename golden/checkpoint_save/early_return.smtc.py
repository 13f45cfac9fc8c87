import torch
import torch_xla.core.xla_model as xm


def save(model, path):
    xm.save(model.state_dict(), path)
    if xm.is_master_ordinal(local=False):
        print("wrote", path)
