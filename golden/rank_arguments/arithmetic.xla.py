import os

import torch
import torch.distributed as dist
import torch_xla.runtime as xr


def setup(args):
    ngpus = xr.local_device_count()
    rank = int(os.environ["RANK"])
    dist.init_process_group("nccl", rank=rank)
    local = xr.local_ordinal()
    args.rank = xr.global_ordinal()
    args.batch_size = int(args.batch_size / ngpus)
    args.workers = (args.workers + ngpus - 1) // ngpus
    if xr.local_ordinal() == 0: print(local, 10 % 3, "a" + "b")
    return f"cuda:{rank % xr.local_device_count()}"
