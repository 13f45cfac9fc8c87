"""Moves a batch."""

import datetime
import os

import torch
import torch.distributed as dist


def start():
    dist.init_process_group("nccl", timeout=datetime.timedelta(seconds=7200))
    print(os.getpid())


def move(batch):
    return batch.cuda()
