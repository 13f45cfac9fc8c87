import torch_xla.runtime as xr

print(xr.global_ordinal(), xr.world_size())
