import os
import torch
import torch_xla.core.xla_model as xm

torch.cuda.set_device(xm.get_local_ordinal())
model = torch.nn.Linear(2, 2).cuda()
optimizer = torch.optim.SGD(model.parameters(), lr=0.01 * xm.xrt_world_size())
xm.collective_broadcast(list(model.parameters()) + list(model.buffers()))
xm.mark_step()
for x in loader:
    model(x).backward()
    torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
if xm.get_ordinal() == 0:
    print(int(os.environ.get("GPU_NUM_DEVICES", "1")))
