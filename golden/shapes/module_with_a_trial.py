import argparse

import torch
import torch.nn as nn


class Net(nn.Module):
    def init_mems(self):
        return torch.empty(2, 0, device=torch.device("cuda"))

    def forward(self, x):
        return x + torch.ones(x.size(0), device=torch.device("cuda"))


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--cuda", action="store_true")
    args = parser.parse_args()

    device = torch.device("cuda" if args.cuda else "cpu")

    model = Net().to(device)
    print(model(torch.ones(4, device=device)))
