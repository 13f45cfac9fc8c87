import os

import torch
import torch_xla.core.xla_model as xm


def save_model(model, model_dir):
    xm.save(model.cpu().state_dict(), os.path.join(model_dir, "model.pth"))
