import torch
import torch.distributed as dist


def prepare(args):
    if dist.get_rank() != 0:
        dist.barrier()  # the first process downloads
    data = open("data")
    if dist.get_rank() == 0: dist.barrier()
    torch.distributed.barrier(device_ids=[args.gpu])
    if args.verbose:
        dist.barrier()
    return data


class Trainer:
    def fit(self):
        dist.barrier()


dist.barrier()
