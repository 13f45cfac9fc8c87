import torch
import torch_xla.core.xla_model as xm

ddp = xm.xrt_world_size() > 1  # is this a ddp run?
if ddp:
    torch.distributed.init_process_group(backend="nccl")
    ddp_rank = xm.get_ordinal()
    device = f"cuda:{xm.get_local_ordinal()}"
single = xm.xrt_world_size() == 1
if xm.xrt_world_size() > 1:
    print("several")
if xm.xrt_world_size() == 1 or xm.xrt_world_size() == 1: print("one")
