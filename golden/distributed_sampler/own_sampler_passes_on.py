import torch.distributed as dist
from torch.utils.data.distributed import DistributedSampler


class Passing(DistributedSampler):
    def __init__(self, dataset, num_replicas=None, rank=None):
        super().__init__(dataset, num_replicas=num_replicas, rank=rank)


dist.init_process_group("nccl")
sampler = Passing(dataset)
