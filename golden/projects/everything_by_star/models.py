import torch
from torch import nn


def start_file():
    torch.save({"model": nn.Linear(4, 2).state_dict()}, "start.pt")
    return "start.pt"
