import torch
import torch_xla.core.xla_model as xm


def main(rank, world_size):
    print(f"rank {xm.get_ordinal()} of {xm.xrt_world_size()}")
