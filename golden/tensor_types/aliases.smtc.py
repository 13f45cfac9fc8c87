import torch as th
import torch_xla.core.xla_model as xm

FT = th.cuda.FloatTensor
device = xm.xla_device()
x = th.empty(2, 3, dtype=th.float32, device=device)
y = x.to(device=device, dtype=th.float32)
if y is not None: z = th.tensor([0], dtype=th.int32, device=device); print(z)
