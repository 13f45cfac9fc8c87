"""The rank and size as attributes, and under another name of the module."""
import torch
import torch.distributed as dist
import torch_xla.runtime as xr

dist.init_process_group("nccl")
model = torch.nn.Linear(2, 2).cuda()
shard = xr.global_ordinal()
shards = xr.world_size()
if xr.global_ordinal() == 0:
    print("shard", xr.global_ordinal(), "of", xr.world_size())
