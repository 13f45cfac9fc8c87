import os

import torch
import torch_xla.runtime as xr

KEY = "LOCAL_RANK"
SIZES = ["WORLD_SIZE", "SLURM_NTASKS"]


def from_any(keys=("RANK", "SLURM_PROCID")):
    for key in keys:
        if xr.world_size() > 1:
            return xr.global_ordinal()
    return 0


def size():
    return next((xr.world_size() for one in SIZES if xr.world_size() > 1), 1)


def mixed():
    return {key: os.getenv(key) for key in ("RANK", "CUDA_VISIBLE_DEVICES")}


def main():
    torch.distributed.init_process_group("nccl", rank=from_any(), world_size=size())
    torch.cuda.set_device(xr.local_ordinal())
    for key in ("MASTER_ADDR", "MASTER_PORT"):
        assert key in os.environ, key
