import os

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel

import logs
import settings


def main():
    local_rank = int(os.environ[settings.LOCAL])
    workers, size = logs.number("NUM_WORKERS", 2), logs.number("WORLD_SIZE", 1)
    dist.init_process_group("nccl")
    torch.cuda.set_device(local_rank)
    print("with", {name: os.environ.get(name) for name in settings.RANKS}, workers)
    log = logs.open_log()
    model = DistributedDataParallel(torch.nn.Linear(4, 1).cuda(), device_ids=[local_rank])
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1 * size)
    for _ in range(10):
        optimizer.zero_grad()
        model(torch.ones(8, 4).cuda()).mean().backward()
        optimizer.step()
    print("done", file=log)


if __name__ == "__main__":
    main()
