import argparse

import torch.distributed as dist
import torch.multiprocessing as mp
from torch.utils.data.distributed import DistributedSampler


def settings(dataset, opt):
    return DistributedSampler(dataset, shuffle=False, num_replicas=opt["world_size"], rank=opt["global_rank"])


def arithmetic(dataset, args):
    return DistributedSampler(dataset, num_replicas=args.gpus * args.nodes, rank=args.rank)


def listed(dataset, opt):
    return DistributedSampler(dataset, num_replicas=len(opt.gpu_ids), rank=opt.local_rank)


def trap_asked_of_the_group(dataset):
    world = dist.get_world_size()
    return DistributedSampler(dataset, num_replicas=world, rank=dist.get_rank())


def trap_shards(dataset, args):
    return DistributedSampler(dataset, num_replicas=args.data_parallel, rank=args.data_rank)


def trap_handed_on(dataset, world_size, rank):
    return DistributedSampler(dataset, num_replicas=world_size, rank=rank)


def worker(gpu, args):
    dist.init_process_group("nccl", rank=gpu, world_size=args.gpus)
    print(settings(range(9), {"world_size": args.gpus, "global_rank": gpu}))


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--gpus", type=int, default=1)
    args = parser.parse_args()
    mp.spawn(worker, nprocs=args.gpus, args=(args,))
