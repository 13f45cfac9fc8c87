"""Nothing here is a device: messages, paths, options, a user's own enumeration."""
import argparse
import os

import torch

parser = argparse.ArgumentParser()
parser.add_argument("--backend", default="cuda", choices=["cpu", "cuda"], help="cuda or cpu")
args = parser.parse_args()

BACKENDS = {"cuda": "nccl", "cpu": "gloo"}
root = os.path.join("data", "cuda")
cpu = torch.device("cpu")
meta = torch.device("meta")


class Place:
    def __init__(self, device):
        self.name = device


place = Place(device="cuda")
print("training on cuda" if args.backend == "cuda" else "training on cpu", place.name)
weights = torch.load(os.path.join(root, "w.pt"), map_location=cpu)
x = torch.zeros(3).to(torch.float32).to("cpu")
