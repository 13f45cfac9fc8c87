import argparse

import torch
import torch.nn as nn
import torch_xla


class Net(nn.Module):
    def init_mems(self):
        device = torch_xla.device()
        return torch.empty(2, 0, device=device)

    def forward(self, x):
        device = torch_xla.device()
        return x + torch.ones(x.size(0), device=device)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--cuda", action="store_true")
    args = parser.parse_args()

    device = torch_xla.device()

    model = Net().to(device)
    print(model(torch.ones(4, device=device)))
