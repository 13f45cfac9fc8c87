import torch
import torch_xla.core.xla_model as xm
from smdistributed.dataparallel.torch.parallel.distributed import DistributedDataParallel as DDP


def main():
    rank = xm.get_ordinal()
    local_rank = xm.get_local_ordinal()
    batch_size = 64 // xm.xrt_world_size()
    model = DDP(torch.nn.Linear(2, 2).cuda(local_rank))
    if rank == 0:
        print(batch_size, model)
