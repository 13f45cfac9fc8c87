import torch
import torch_xla.runtime as xr


def main(rank, world_size):
    print(f"rank {xr.global_ordinal()} of {xr.world_size()}")
