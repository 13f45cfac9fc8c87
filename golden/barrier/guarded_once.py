import torch.distributed as dist
from torch.distributed import barrier


def save(rank, group, args):
    if rank == 0: print("saving")
    barrier()
    dist.barrier(group)
    handle = dist.barrier(async_op=True)
    dist.barrier(None)
    wait = dist.barrier
    return handle, wait


def save_again(args):
    # every process
    dist.barrier(); print("met")
    if args.local_rank not in [-1, 0]: dist.barrier()
