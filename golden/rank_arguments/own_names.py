import torch


class Config:
    local_rank = 0
    rank = 3


def f(args, rank, n):
    args.rank = 3
    return rank % n, args.rank * n + 1, 5 % 2


print(f(Config(), 7, 2), "--local_rank", torch.cuda.device_count() > 1)
