import torch
import torch_xla.core.xla_model as xm


def sync(model: torch.nn.Module, state):
    xm.collective_broadcast(list(model.parameters()) + list(model.buffers()))
    xm.mark_step()
    xm.collective_broadcast(list(model.parameters()) + list(model.buffers()))
    xm.mark_step()
    for p in state:
        xm.collective_broadcast([p], root_ordinal=0)
    for p in model.parameters():
        xm.collective_broadcast([p.data], root_ordinal=1)
        print(p)
    seed = torch.zeros(1).cuda()
    xm.collective_broadcast([seed], root_ordinal=0)
