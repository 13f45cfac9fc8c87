"""One process of MPI on each host, which spawns one for each GPU: what MPI says is the number of the host."""
import argparse
import os

import torch
import torch.distributed as dist
import torch.multiprocessing as mp


def get_options():
    parser = argparse.ArgumentParser()
    parser.add_argument("--dist-url", default="tcp://localhost:9000")
    parser.add_argument("--hosts", type=int, default=1)
    options = parser.parse_args()
    options.host_rank = int(os.environ["OMPI_COMM_WORLD_RANK"])
    if options.host_rank == 0:
        print(options)
    return options


def worker(index, options):
    options.rank = options.host_rank * options.gpus + index
    dist.init_process_group("nccl", init_method=options.dist_url, world_size=options.world_size, rank=options.rank)
    if options.rank == 0:
        print("training")


if __name__ == "__main__":
    options = get_options()
    options.gpus = torch.cuda.device_count()
    options.world_size = options.gpus * options.hosts
    mp.spawn(worker, nprocs=options.gpus, args=(options,))
