"""Trains on cuda."""
import torch

print("cuda", "cuda:0")
name = "cuda"
parser.add_argument("--device", default="cuda", choices=["cuda", "cpu"])
path = f"runs/cuda/{name}"


def wait(event: "torch.cuda.Event", other: torch.cuda.Event) -> None:
    event.wait()
