import torch

from data import build_dataset, build_model
from engine import evaluate


def check():
    batches = [build_dataset(seed).tensors for seed in range(3)]
    print(evaluate(build_model(), batches, torch.device("cpu")))


if __name__ == "__main__":
    check()
