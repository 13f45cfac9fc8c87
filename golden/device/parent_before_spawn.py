import torch
import torch.multiprocessing as mp
from torch import nn


def worker(rank, args):
    device = torch.device(f"cuda:{rank}")
    nn.Linear(4, 2).to(device)


def main(args):
    device = torch.accelerator.current_accelerator()
    print("starting on", device)
    mp.spawn(worker, args=(args,), nprocs=2)


if __name__ == "__main__":
    main(None)
