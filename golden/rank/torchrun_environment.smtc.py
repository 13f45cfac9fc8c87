import os

import torch
import torch.distributed as dist
import torch_xla.core.xla_model as xm


def main():
    local_rank = xm.get_local_ordinal()
    rank, world_size = xm.get_ordinal(), xm.xrt_world_size()
    dist.init_process_group("nccl")
    torch.cuda.set_device(local_rank)
    if rank == 0:
        print(f"rank {xm.get_ordinal()}, " + str(xm.get_local_ordinal()))
    print("cache/" + str(xm.get_local_ordinal()), world_size, os.environ["HOME"])
    os.environ["RANK_FILE"] = "x"
