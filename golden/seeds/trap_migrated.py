import torch
import torch_xla.core.xla_model as xm

torch.manual_seed(1)
xm.set_rng_state(1)
device = xm.xla_device()
x = torch.rand(2).to(device)
