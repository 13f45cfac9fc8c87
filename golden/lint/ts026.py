"""Variables of torchrun in a script with an _mp_fn."""
import os

import torch
import torch_xla.core.xla_model as xm


def main():
    rank = int(os.environ["RANK"])
    local_rank = int(os.environ.get("LOCAL_RANK", 0))
    world_size = int(os.environ["WORLD_SIZE"])
    device = xm.xla_device()
    model = torch.nn.Linear(4, 2).to(device)
    print(rank, local_rank, world_size)


def _mp_fn(index):
    main()


if __name__ == "__main__":
    main()
