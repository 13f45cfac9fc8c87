import torch_xla.core.xla_model as xm

print(xm.get_ordinal(), xm.xrt_world_size())
