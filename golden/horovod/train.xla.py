import torch
import torch_xla.core.xla_model as xm
import torch_xla.runtime as xr

torch.cuda.set_device(xr.local_ordinal())
model = torch.nn.Linear(2, 2).cuda()
optimizer = torch.optim.SGD(model.parameters(), lr=0.01 * xr.world_size())
xm.broadcast_master_param(model)
for x in loader:
    model(x).backward()
    torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
if xr.global_ordinal() == 0:
    print(xr.local_device_count())
