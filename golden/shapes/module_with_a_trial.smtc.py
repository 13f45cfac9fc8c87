import argparse

import torch
import torch.nn as nn
import torch_xla.core.xla_model as xm


class Net(nn.Module):
    def init_mems(self):
        device = xm.xla_device()
        return torch.empty(2, 0, device=device)

    def forward(self, x):
        device = xm.xla_device()
        return x + torch.ones(x.size(0), device=device)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--cuda", action="store_true")
    args = parser.parse_args()

    device = xm.xla_device()

    model = Net().to(device)
    print(model(torch.ones(4, device=device)))
