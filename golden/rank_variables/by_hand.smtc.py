import torch
import torch_xla.core.xla_model as xm


def main():
    rank = xm.get_ordinal()
    local_rank = xm.get_local_ordinal()
    name = "worker " + str(xm.xrt_world_size())
    print(rank, local_rank, name, torch.zeros(1, device=xm.xla_device()))


def _mp_fn(index):
    main()
