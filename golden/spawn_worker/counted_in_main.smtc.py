import torch
import torch.multiprocessing as mp
from torch.utils.data.distributed import DistributedSampler
import torch_xla.core.xla_model as xm


def ddp_setup(rank, world_size):
    torch.distributed.init_process_group("nccl", rank=rank, world_size=world_size)


def main(rank: int, epochs: int):
    """Train on one GPU."""
    world_size = xm.xrt_world_size()
    ddp_setup(rank, world_size)
    sampler = DistributedSampler([], num_replicas=world_size, rank=rank)
    print(epochs, sampler)


if __name__ == "__main__":
    mp.spawn(main, args=(10,), join=True)
