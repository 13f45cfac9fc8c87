import torch
from torch import nn
import torch_xla


def loss_of(model, x):
    return model(x.to(device)).sum()


if __name__ == "__main__":
    torch.manual_seed(0)
    device = torch_xla.device()
    net = nn.Linear(2, 1).to(device)
    print(loss_of(net, torch.ones(2)))
