import os

import torch
import torch.distributed as dist


def main():
    local_rank = int(os.environ["LOCAL_RANK"])
    rank, world_size = int(os.environ['RANK']), int(os.getenv("WORLD_SIZE", "1"))
    dist.init_process_group("nccl")
    torch.cuda.set_device(local_rank)
    if rank == 0:
        print(f"rank {os.environ['RANK']}, " + os.environ["LOCAL_RANK"])
    print("cache/" + os.environ.get("LOCAL_RANK", "0"), world_size, os.environ["HOME"])
    os.environ["RANK_FILE"] = "x"
