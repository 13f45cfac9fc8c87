import os

import torch

KEY = "LOCAL_RANK"
SIZES = ["WORLD_SIZE", "SLURM_NTASKS"]


def from_any(keys=("RANK", "SLURM_PROCID")):
    for key in keys:
        if key in os.environ:
            return int(os.environ[key])
    return 0


def size():
    return next((int(os.environ[one]) for one in SIZES if one in os.environ), 1)


def mixed():
    return {key: os.getenv(key) for key in ("RANK", "CUDA_VISIBLE_DEVICES")}


def main():
    torch.distributed.init_process_group("nccl", rank=from_any(), world_size=size())
    torch.cuda.set_device(int(os.environ[KEY]))
    for key in ("MASTER_ADDR", "MASTER_PORT"):
        assert key in os.environ, key
