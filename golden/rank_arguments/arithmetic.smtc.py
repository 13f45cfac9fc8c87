import os

import torch
import torch.distributed as dist
import torch_xla.core.xla_model as xm


def setup(args):
    ngpus = int(os.environ.get("GPU_NUM_DEVICES", "1"))
    rank = int(os.environ["RANK"])
    dist.init_process_group("nccl", rank=rank)
    local = xm.get_local_ordinal()
    args.rank = xm.get_ordinal()
    args.batch_size = int(args.batch_size / ngpus)
    args.workers = (args.workers + ngpus - 1) // ngpus
    if xm.get_local_ordinal() == 0: print(local, 10 % 3, "a" + "b")
    return f"cuda:{rank % int(os.environ.get('GPU_NUM_DEVICES', '1'))}"
