import torch
import torch.multiprocessing as mp


def main(args):
    args.nprocs = torch.cuda.device_count()
    mp.spawn(main_worker, nprocs=args.nprocs, args=(args.nprocs, args))


def main_worker(local_rank, nprocs, args):
    torch.distributed.init_process_group("nccl", world_size=args.nprocs, rank=local_rank)
    args.batch_size = int(args.batch_size / nprocs)
    train(args)


def train(args):
    return 1 / args.nprocs
