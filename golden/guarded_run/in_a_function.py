import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel as DDP


def evaluate(model, loader):
    with torch.no_grad():
        for x, y in loader:
            print(model(x), y)


def main(loader):
    dist.init_process_group("nccl")
    model = DDP(torch.nn.Linear(4, 2).cuda())
    if dist.get_rank() == 0:
        print("evaluating")
        evaluate(model, loader)
