import os

import torch
import torch.distributed as dist
import torch_xla.runtime as xr


def main():
    local_rank = xr.local_ordinal()
    rank, world_size = xr.global_ordinal(), xr.world_size()
    dist.init_process_group("nccl")
    torch.cuda.set_device(local_rank)
    if rank == 0:
        print(f"rank {xr.global_ordinal()}, " + str(xr.local_ordinal()))
    print("cache/" + str(xr.local_ordinal()), world_size, os.environ["HOME"])
    os.environ["RANK_FILE"] = "x"
