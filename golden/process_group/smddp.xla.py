import torch
import torch_xla.runtime as xr
from smdistributed.dataparallel.torch.parallel.distributed import DistributedDataParallel as DDP


def main():
    rank = xr.global_ordinal()
    local_rank = xr.local_ordinal()
    batch_size = 64 // xr.world_size()
    model = DDP(torch.nn.Linear(2, 2).cuda(local_rank))
    if rank == 0:
        print(batch_size, model)
