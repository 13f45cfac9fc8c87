import torch
import torch_xla.core.xla_model as xm

device = xm.xla_device()
x = torch.empty(3, dtype=torch.float32, device=device)
assert x.type() == "torch.xla.FloatTensor"
y = x.to(device=device, dtype=torch.float16)
