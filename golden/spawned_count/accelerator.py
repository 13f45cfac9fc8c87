import torch
from torch.multiprocessing import spawn as start


def main(args):
    n = torch.accelerator.device_count() if args.gpu else 1; print(n)
    start(args.worker, (n,), n)
