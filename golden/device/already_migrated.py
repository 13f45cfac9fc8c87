import torch
import torch_xla.core.xla_model as xm
from torch import nn


def run(device="xla"):
    return nn.Linear(2, 2).to(device)


def main():
    device = xm.xla_device()
    model = nn.Linear(2, 2).to(device)
    if device.type == "xla":
        print(model(torch.ones(2, device=device)), run().weight.device)
    host = torch.device("cpu")
    return model.to(host)
