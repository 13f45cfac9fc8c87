import os

import torch
import torch.distributed as dist


def setup(args):
    ngpus = torch.cuda.device_count()
    rank = int(os.environ["RANK"])
    dist.init_process_group("nccl", rank=rank)
    local = rank % ngpus
    args.rank = args.node_rank * ngpus + local
    args.batch_size = int(args.batch_size / ngpus)
    args.workers = (args.workers + ngpus - 1) // ngpus
    if args.rank % ngpus == 0: print(local, 10 % 3, "a" + "b")
    return f"cuda:{rank % torch.cuda.device_count()}"
