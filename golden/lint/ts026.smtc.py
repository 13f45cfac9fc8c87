"""Variables of torchrun in a script with an _mp_fn."""

import torch
import torch_xla.core.xla_model as xm


def main():
    rank = xm.get_ordinal()
    local_rank = xm.get_local_ordinal()
    world_size = xm.xrt_world_size()
    device = xm.xla_device()
    model = torch.nn.Linear(4, 2).to(device)
    print(rank, local_rank, world_size)


def _mp_fn(index):
    main()


if __name__ == "__main__":
    main()
