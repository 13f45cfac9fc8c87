import torch
from torch import multiprocessing as mp


def worker(gpu, opt):
    print(gpu, opt)


def run(opt):
    # one process a GPU
    mp.spawn(worker, (opt,), opt.gpus)


if __name__ == "__main__":
    run(parse())
