import torch
import torch_xla.runtime as xr

ddp = xr.world_size() > 1  # is this a ddp run?
if ddp:
    torch.distributed.init_process_group(backend="nccl")
    ddp_rank = xr.global_ordinal()
    device = f"cuda:{xr.local_ordinal()}"
single = xr.world_size() == 1
if xr.world_size() > 1:
    print("several")
if xr.world_size() == 1 or xr.world_size() == 1: print("one")
