import torch

start = torch.cuda.Event(enable_timing=True)


def begin():
    start.record()


def end(pool):
    pool.append(start)
