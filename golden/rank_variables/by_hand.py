import os

import torch
import torch_xla.core.xla_model as xm


def main():
    rank = int(os.environ["RANK"])
    local_rank = int(os.environ.get("LOCAL_RANK", 0))
    name = "worker " + os.environ["WORLD_SIZE"]
    print(rank, local_rank, name, torch.zeros(1, device=xm.xla_device()))


def _mp_fn(index):
    main()
