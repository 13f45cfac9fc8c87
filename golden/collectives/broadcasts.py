import torch
import torch.distributed as dist


def sync(model: torch.nn.Module, state):
    for param in model.parameters():
        dist.broadcast(param.data, src=0)
    for p in model.state_dict().values(): dist.broadcast(p, 0)
    for p in state:
        dist.broadcast(p, 0)
    for p in model.parameters():
        dist.broadcast(p.data, 1)
        print(p)
    seed = torch.zeros(1).cuda()
    dist.broadcast(seed, 0)
