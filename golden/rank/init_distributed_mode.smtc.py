import torch
import torch_xla.core.xla_model as xm


def init_distributed_mode(args):
    if xm.xrt_world_size() > 1:
        args.rank = xm.get_ordinal()
        args.world_size = xm.xrt_world_size()
        args.gpu = xm.get_local_ordinal()
    else:
        print('Not using distributed mode')
        args.distributed = False
        return
    print('| distributed init (rank {})'.format(args.rank))
    torch.distributed.init_process_group(backend="nccl", world_size=args.world_size, rank=args.rank)


def scheduler_only():
    rank = xm.get_ordinal()
    return rank, xm.xrt_world_size()
