import argparse

import torch
import torch.distributed as dist
import torch.multiprocessing as mp
from torch.nn.parallel import DistributedDataParallel

from steps import train


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--world-size", default=1, type=int)
    parser.add_argument("--rank", default=0, type=int)
    parser.add_argument("--batch-size", default=16, type=int)
    args = parser.parse_args()
    ngpus_per_node = torch.cuda.device_count()
    args.world_size = ngpus_per_node * args.world_size
    mp.spawn(worker, nprocs=ngpus_per_node, args=(ngpus_per_node, args))


def worker(gpu, ngpus_per_node, args):
    args.rank = args.rank * ngpus_per_node + gpu
    dist.init_process_group("nccl", init_method="tcp://127.0.0.1:2345", world_size=args.world_size, rank=args.rank)
    torch.cuda.set_device(gpu)
    net = DistributedDataParallel(torch.nn.Linear(8, 1).cuda(gpu), device_ids=[gpu])
    train(args, net, gpu)


if __name__ == "__main__":
    main()
