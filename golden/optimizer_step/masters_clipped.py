import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel


def overflows(parameters):
    for parameter in parameters:
        if parameter.grad is not None and not torch.isfinite(parameter.grad.sum()):
            return True
    return False


def to_masters(model, masters):
    for parameter, master in zip(model.parameters(), masters):
        if master.grad is None:
            master.grad = torch.zeros_like(master)
        master.grad.data.copy_(parameter.grad.data)


def to_model(model, masters):
    for parameter, master in zip(model.parameters(), masters):
        parameter.data.copy_(master.data)


def clipped(batches):
    model = DistributedDataParallel(torch.nn.Linear(4, 1).cuda().half())
    masters = [parameter.detach().clone().float().requires_grad_() for parameter in model.parameters()]
    optimizer = torch.optim.Adam(masters, lr=0.01)
    for batch in batches:
        model(batch.cuda()).mean().backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        to_masters(model, masters)
        optimizer.step()
        to_model(model, masters)
        model.zero_grad()


def watched(batches):
    model = DistributedDataParallel(torch.nn.Linear(4, 1).cuda().half())
    held = list(model.parameters())
    masters = [torch.nn.Parameter(parameter.detach().float()) for parameter in held]
    optimizer = torch.optim.Adam(masters, lr=0.01)
    for batch in batches:
        model(batch.cuda()).mean().backward()
        if not overflows(held):
            to_masters(model, masters)
            torch.nn.utils.clip_grad_norm_(masters, 1.0)
            optimizer.step()
            to_model(model, masters)
        model.zero_grad()


def partly(batches):
    model = DistributedDataParallel(torch.nn.Linear(4, 1).cuda().half())
    masters = [torch.nn.Parameter(parameter.detach().float()) for parameter in model.parameters()]
    optimizer = torch.optim.Adam(masters, lr=0.01)
    for batch in batches:
        model(batch.cuda()).mean().backward()
        if torch.isnan(model.module.weight.grad).any():
            continue
        to_masters(model, masters)
        optimizer.step()
        to_model(model, masters)
        model.zero_grad()


dist.init_process_group("nccl")
data = [torch.ones(8, 4, dtype=torch.half) for _ in range(10)]
clipped(data)
watched(data)
partly(data)
