import torch.distributed as dist
import torch.multiprocessing as mp


def train(gpu, args):
    rank = args.nr * args.gpus + gpu
    dist.init_process_group(backend='nccl', world_size=args.world_size, rank=rank)
    if gpu == 0:
        print("on this host", args.world_size)


def main(args):
    args.world_size = args.gpus * args.nodes
    mp.spawn(train, nprocs=args.gpus, args=(args,))
