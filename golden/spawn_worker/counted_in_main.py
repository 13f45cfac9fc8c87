import torch
import torch.multiprocessing as mp
from torch.utils.data.distributed import DistributedSampler


def ddp_setup(rank, world_size):
    torch.distributed.init_process_group("nccl", rank=rank, world_size=world_size)


def main(rank: int, world_size: int, epochs: int):
    """Train on one GPU."""
    ddp_setup(rank, world_size)
    sampler = DistributedSampler([], num_replicas=world_size, rank=rank)
    print(epochs, sampler)


if __name__ == "__main__":
    world_size = torch.cuda.device_count()
    mp.spawn(main, args=(world_size, 10), nprocs=world_size, join=True)
