"""torch_xla's own process group, which torchrun starts."""
import os

import torch
import torch.distributed as dist
import torch_xla.distributed.xla_backend


def _mp_fn(index):
    dist.init_process_group("xla")
    print(int(os.environ["RANK"]), torch.zeros(1))
