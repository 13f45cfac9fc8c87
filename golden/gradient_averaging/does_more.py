import torch
import torch.distributed as dist

optimizer = torch.optim.Adam(model.parameters())


def average(model):
    norms = []
    for p in model.parameters():
        dist.all_reduce(p.grad)
        p.grad.div_(dist.get_world_size())
    norms.append(p.grad.norm())
    return norms


def weights(model):
    for p in model.parameters():
        dist.all_reduce(p.data)
        p.data /= dist.get_world_size()


def logged(model):
    for p in model.parameters():
        dist.all_reduce(p.grad)
        p.grad /= dist.get_world_size()
        print(p.grad.norm())


print(average(model))
optimizer.step()
