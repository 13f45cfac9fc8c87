import torch
import torch_xla.runtime as xr


def init_distributed_mode(args):
    if xr.world_size() > 1:
        args.rank = xr.global_ordinal()
        args.world_size = xr.world_size()
        args.gpu = xr.local_ordinal()
    else:
        print('Not using distributed mode')
        args.distributed = False
        return
    print('| distributed init (rank {})'.format(args.rank))
    torch.distributed.init_process_group(backend="nccl", world_size=args.world_size, rank=args.rank)


def scheduler_only():
    rank = xr.global_ordinal()
    return rank, xr.world_size()
