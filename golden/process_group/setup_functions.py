import os

import torch
import torch.distributed as dist


def setup(rank, world_size):
    """Initialise the group."""
    os.environ['MASTER_ADDR'] = 'localhost'
    os.environ['MASTER_PORT'] = '12355'
    torch.cuda.set_device(rank)
    dist.init_process_group("nccl", rank=rank, world_size=world_size)


def cleanup(): dist.destroy_process_group()


def main(rank, world_size):
    setup(rank, world_size)
    print(f"rank {dist.get_rank()} of {dist.get_world_size()}")
    cleanup()
