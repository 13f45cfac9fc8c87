"""A parameter that is the text of the device is no device, and a model is moved without it."""
import argparse

import torch
import torch_xla
from models import create_model


def profile(name, device="cuda"):
    model = create_model(name)
    xla_device = torch_xla.device()
    model = model.to(xla_device)
    return sum(p.numel() for p in model.parameters())


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--device", default="cuda", type=str)
    args = parser.parse_args()
    print(profile("small", device=args.device))


if __name__ == "__main__":
    main()
