import os

import torch
import torch.distributed as dist
import torch.multiprocessing as mp

best_acc1 = 0


def main(args):
    args.distributed = args.world_size > 1 or args.multiprocessing_distributed
    if args.multiprocessing_distributed:
        # ngpus_per_node processes per node
        mp.spawn(main_worker, args=(args,))
    else:
        main_worker(args.gpu, args)


def main_worker(gpu, args):
    global best_acc1
    ngpus_per_node = int(os.environ.get("GPU_NUM_DEVICES", "1"))
    args.gpu = gpu
    args.rank = args.rank * ngpus_per_node + gpu
    dist.init_process_group(backend="nccl", world_size=args.world_size, rank=args.rank)
    args.batch_size = int(args.batch_size / ngpus_per_node)
