import torch
import torch_xla.core.xla_model as xm

device = xm.xla_device()
assert device.type == "xla" and torch.ones(1, device=device).device.type == "xla"
