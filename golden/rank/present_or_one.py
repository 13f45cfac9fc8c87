import os

import torch.distributed as dist


def main():
    world_size = int(os.environ["WORLD_SIZE"]) if "WORLD_SIZE" in os.environ else 1
    rank = int(os.environ["RANK"]) if "RANK" in os.environ else 0
    local_rank = int(os.environ["LOCAL_RANK"]) if "LOCAL_RANK" in os.environ else -1
    distributed = world_size > 1
    if distributed:
        dist.init_process_group("nccl", init_method="env://")
    print(world_size, rank, local_rank)


main()
