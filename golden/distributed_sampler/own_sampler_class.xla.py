import torch.distributed as dist
from torch.utils.data.distributed import DistributedSampler
import torch_xla.runtime as xr


class BalancedSampler(DistributedSampler):
    def __iter__(self):
        return iter(balanced(self.dataset, self.rank, self.num_replicas))


dist.init_process_group("nccl")
sampler = BalancedSampler(dataset, num_replicas=xr.world_size(), rank=xr.global_ordinal())
told = BalancedSampler(dataset, num_replicas=4, rank=args.rank)
