import torch.distributed as dist
from torch.utils.data.distributed import DistributedSampler as Shard
import torch_xla.runtime as xr

dist.init_process_group("nccl")
first = Shard(dataset, num_replicas=dist.get_world_size(), rank=dist.get_rank())
second = Shard(dataset, args.world_size, args.rank)
third = Shard(dataset, rank=args.rank, num_replicas=xr.world_size())
fourth = Shard(dataset, **options)
