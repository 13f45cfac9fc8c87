import torch
import torch.multiprocessing as mp
import torch_xla.core.xla_model as xm


def main(args):
    mp.spawn(main_worker, args=(args,))


def main_worker(local_rank, args):
    nprocs = xm.xrt_world_size()
    args.nprocs = xm.xrt_world_size()
    torch.distributed.init_process_group("nccl", world_size=args.nprocs, rank=local_rank)
    args.batch_size = int(args.batch_size / nprocs)
    train(args)


def train(args):
    return 1 / args.nprocs
