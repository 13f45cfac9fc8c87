"""An option that names the device goes on by `vars(args)` to what reads it by its name."""

import argparse

import torch
from torch import nn


def evaluate(model, batches, options):
    total = 0.0
    for x, y in batches:
        with torch.no_grad():
            total += nn.functional.mse_loss(model(x.to(options["device"])), y.to(options["device"])).item()
    return total


parser = argparse.ArgumentParser()
parser.add_argument("--device", type=str, default="cuda", help="cpu or cuda")
args = parser.parse_args()
model = nn.Linear(4, 1).to(args.device)
print(evaluate(model, [(torch.randn(8, 4), torch.randn(8, 1)) for _ in range(3)], vars(args)))
