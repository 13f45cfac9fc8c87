"""Starts one process for each GPU of this host."""

import torch
import torch_xla


def launch(main_func, devices=None, dist_url="tcp://127.0.0.1:23456", args=()):
    world_size = torch.cuda.device_count() if devices is None else devices
    if world_size > 1:
        torch_xla.launch(
            _worker,
            args=(
                main_func,
                dist_url,
                args,
            ),
        )
    else:
        _worker(0, main_func, dist_url, args)


def _worker(local_rank, main_func, dist_url, args):
    main_func(local_rank, *args)
