import torch
from torch import nn
import torch_xla.core.xla_model as xm


def loss_of(model, x):
    return model(x.to(device)).sum()


if __name__ == "__main__":
    torch.manual_seed(0)
    device = xm.xla_device()
    net = nn.Linear(2, 1).to(device)
    print(loss_of(net, torch.ones(2)))
