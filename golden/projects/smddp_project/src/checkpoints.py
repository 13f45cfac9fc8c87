import os

import torch


def save_model(model, model_dir):
    with open(os.path.join(model_dir, "model.pth"), "wb") as f:
        torch.save(model.module.cpu().state_dict(), f)
