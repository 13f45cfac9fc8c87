import torch.distributed as dist
import torch_xla.core.xla_model as xm


def main():
    world_size = xm.xrt_world_size()
    rank = xm.get_ordinal()
    local_rank = xm.get_local_ordinal() if xm.xrt_world_size() > 1 else -1
    distributed = world_size > 1
    if distributed:
        dist.init_process_group("nccl", init_method="env://")
    print(world_size, rank, local_rank)


main()
