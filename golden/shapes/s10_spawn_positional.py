"""Everything by position."""
import torch
import torch.distributed as dist
import torch.nn as nn
from torch.multiprocessing import spawn


def run(rank, config):
    dist.init_process_group("nccl", "tcp://127.0.0.1:29500", None, config["n"], rank)
    torch.manual_seed(0)
    model = nn.parallel.DistributedDataParallel(nn.Linear(2, 1).cuda(rank), [rank])
    optimizer = torch.optim.SGD(model.parameters(), config["lr"])
    for _ in range(2):
        optimizer.zero_grad()
        model(torch.ones(2, 2).cuda(rank)).sum().backward()
        optimizer.step()


if __name__ == "__main__":
    config = {"n": torch.cuda.device_count(), "lr": 0.1}
    spawn(run, (config,), config["n"])
