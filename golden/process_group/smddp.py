import smdistributed.dataparallel.torch.distributed as dist
import torch
from smdistributed.dataparallel.torch.parallel.distributed import DistributedDataParallel as DDP

dist.init_process_group()


def main():
    rank = dist.get_rank()
    local_rank = dist.get_local_rank()
    batch_size = 64 // dist.get_world_size()
    model = DDP(torch.nn.Linear(2, 2).cuda(local_rank))
    if rank == 0:
        print(batch_size, model)
