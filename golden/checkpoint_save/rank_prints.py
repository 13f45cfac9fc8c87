import torch
import torch.distributed as dist


def report(model, rank, loss):
    if rank != 0:
        return
    print(loss, sum(p.numel() for p in model.parameters()))


dist.init_process_group("nccl")
if dist.get_rank() == 0:
    report(torch.nn.Linear(4, 2).cuda(), 0, 1.0)
