"""Starts one process for each GPU of this host."""

import torch
import torch.distributed as dist
import torch.multiprocessing as mp


def launch(main_func, devices=None, dist_url="tcp://127.0.0.1:23456", args=()):
    world_size = torch.cuda.device_count() if devices is None else devices
    if world_size > 1:
        mp.start_processes(
            _worker,
            nprocs=world_size,
            args=(
                main_func,
                world_size,
                dist_url,
                args,
            ),
            daemon=False,
            start_method="spawn",
        )
    else:
        _worker(0, main_func, 1, dist_url, args)


def _worker(local_rank, main_func, world_size, dist_url, args):
    dist.init_process_group("nccl", init_method=dist_url, world_size=world_size, rank=local_rank)
    main_func(local_rank, *args)
