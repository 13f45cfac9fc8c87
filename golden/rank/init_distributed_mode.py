import os

import torch


def init_distributed_mode(args):
    if 'RANK' in os.environ and 'WORLD_SIZE' in os.environ:
        args.rank = int(os.environ["RANK"])
        args.world_size = int(os.environ['WORLD_SIZE'])
        args.gpu = int(os.environ['LOCAL_RANK'])
    elif 'SLURM_PROCID' in os.environ:
        args.rank = int(os.environ['SLURM_PROCID'])
        args.gpu = args.rank % torch.cuda.device_count()
    else:
        print('Not using distributed mode')
        args.distributed = False
        return
    print('| distributed init (rank {})'.format(args.rank))
    torch.distributed.init_process_group(backend="nccl", world_size=args.world_size, rank=args.rank)


def scheduler_only():
    rank = int(os.environ["SLURM_PROCID"])
    return rank, int(os.environ["OMPI_COMM_WORLD_SIZE"])
