import torch
from torch.nn.parallel import DistributedDataParallel as DDP
import torch_xla.core.xla_model as xm


def main(local_rank):
    model = torch.nn.Linear(4, 2)
    model.cuda(local_rank)
    model = DDP(model, device_ids=[local_rank])
    xm.collective_broadcast(list(model.parameters()) + list(model.buffers()))
    xm.mark_step()
    critic = DDP(torch.nn.Linear(2, 1).cuda(local_rank))
    xm.collective_broadcast(list(critic.parameters()) + list(critic.buffers()))
    xm.mark_step()
    return model, critic
