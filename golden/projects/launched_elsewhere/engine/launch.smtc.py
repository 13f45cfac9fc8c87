"""Starts one process for each GPU of this host."""

import os
import torch
import torch_xla.core.xla_model as xm


def launch(main_func, devices=None, dist_url="tcp://127.0.0.1:23456", args=()):
    world_size = int(os.environ.get("GPU_NUM_DEVICES", "1")) if devices is None else devices
    if world_size > 1:
        _worker(xm.get_ordinal(), main_func, dist_url, args)
    else:
        _worker(0, main_func, dist_url, args)


def _worker(local_rank, main_func, dist_url, args):
    main_func(local_rank, *args)
