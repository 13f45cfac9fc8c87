import os

import torch
import torch_xla.core.xla_model as xm

RANK = int(os.getenv("RANK", "0"))


def _mp_fn(index):
    print(RANK, torch.zeros(1, device=xm.xla_device()))
