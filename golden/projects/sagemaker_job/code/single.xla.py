import argparse

import torch
import torch_xla
import torch_xla.core.xla_model as xm


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--verbose", action="store_true")
    parser.add_argument("--quiet", action="store_true")
    args, _ = parser.parse_known_args()
    device = torch_xla.device()
    model = torch.nn.Linear(4, 2).to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for _ in range(10):
        optimizer.zero_grad()
        model(torch.randn(8, 4).to(device)).sum().backward()
        xm.optimizer_step(optimizer, barrier=True)
    if args.verbose:
        print("done")


if __name__ == "__main__":
    main()
