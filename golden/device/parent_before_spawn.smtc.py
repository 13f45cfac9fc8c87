import torch
import torch.multiprocessing as mp
from torch import nn
import torch_xla.core.xla_model as xm


def worker(rank, args):
    device = xm.xla_device()
    nn.Linear(4, 2).to(device)


def main(args):
    device = torch.device("xla")
    print("starting on", device)
    mp.spawn(worker, args=(args,), nprocs=2)


if __name__ == "__main__":
    main(None)
