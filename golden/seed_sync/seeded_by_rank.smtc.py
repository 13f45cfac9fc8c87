import torch
import torch.distributed as dist
import torch_xla.core.xla_model as xm

seed_offset = dist.get_rank()
torch.manual_seed(1337 + seed_offset)
model = torch.nn.Linear(4, 2).cuda()
if ddp:
    model = torch.nn.parallel.DistributedDataParallel(model)
    xm.collective_broadcast(list(model.parameters()) + list(model.buffers()))
    xm.mark_step()
