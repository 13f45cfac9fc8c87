import torch
import torch.distributed as dist
from torch._utils import _flatten_dense_tensors, _unflatten_dense_tensors
from torch.nn.parallel import DistributedDataParallel
import torch_xla.core.xla_model as xm

dist.init_process_group("nccl")
model = DistributedDataParallel(torch.nn.Linear(4, 1).cuda())
params = list(model.parameters())
master = torch.nn.Parameter(_flatten_dense_tensors([p.detach().float() for p in params]))
optimizer = torch.optim.SGD([master], lr=0.01)
for i in range(100):
    model.zero_grad()
    model(torch.ones(8, 4).cuda() * i).pow(2).mean().backward()
    xm.all_reduce(xm.REDUCE_SUM, [p.grad for p in params if p.grad is not None], scale=1.0 / xm.xrt_world_size())
    if any(not torch.isfinite(p.grad).all() for p in params):
        continue
    master.grad = _flatten_dense_tensors([p.grad.detach().float() for p in params])
    print("norm", master.grad.norm().item())
    optimizer.step()
    for p, q in zip(params, _unflatten_dense_tensors(master.detach(), params)):
        p.detach().copy_(q)
