import os

import torch
import torch.distributed as dist

LOCAL_RANK = int(os.getenv('LOCAL_RANK', -1))  # https://pytorch.org/docs
RANK = int(os.getenv('RANK', -1))
WORLD_SIZE = int(os.getenv('WORLD_SIZE', 1))


def train(batch_size):
    dist.init_process_group("nccl")
    if RANK in {-1, 0}:
        print("first", WORLD_SIZE)
    return batch_size // WORLD_SIZE, torch.device('cuda', LOCAL_RANK)


if __name__ == "__main__":
    train(16 * WORLD_SIZE)
