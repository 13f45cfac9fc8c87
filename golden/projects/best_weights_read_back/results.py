import os

import torch


def report(model, folder):
    best = torch.load(os.path.join(folder, "best.pt"))
    model.load_state_dict(best["model"])
    print(best["epoch"], sum(each.sum().item() for each in model.parameters()))
