"""Processes that the author started draw as the author seeded them."""
import torch
import torch.distributed as dist
from torch import nn


def main(loader, rank):
    dist.init_process_group("nccl")
    torch.manual_seed(0)
    model = nn.parallel.DistributedDataParallel(nn.Linear(8, 1).cuda(rank), device_ids=[rank])
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for x, y in loader:
        loss = (model(x.cuda(rank) + torch.randn(x.shape).cuda(rank)) - y.cuda(rank)).pow(2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
