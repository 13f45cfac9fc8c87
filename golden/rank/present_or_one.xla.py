import torch.distributed as dist
import torch_xla.runtime as xr


def main():
    world_size = xr.world_size()
    rank = xr.global_ordinal()
    local_rank = xr.local_ordinal() if xr.world_size() > 1 else -1
    distributed = world_size > 1
    if distributed:
        dist.init_process_group("nccl", init_method="env://")
    print(world_size, rank, local_rank)


main()
