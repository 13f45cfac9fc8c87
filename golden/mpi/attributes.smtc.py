"""The rank and size as attributes, and under another name of the module."""
import torch
import torch.distributed as dist
import torch_xla.core.xla_model as xm

dist.init_process_group("nccl")
model = torch.nn.Linear(2, 2).cuda()
shard = xm.get_ordinal()
shards = xm.xrt_world_size()
if xm.get_ordinal() == 0:
    print("shard", xm.get_ordinal(), "of", xm.xrt_world_size())
