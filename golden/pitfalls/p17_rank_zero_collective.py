"""Only the first process evaluates, and meets the others at a barrier."""
import os

import torch
import torch.distributed as dist
import torch.nn as nn


def main():
    rank = int(os.environ["RANK"])
    dist.init_process_group("nccl", rank=rank, world_size=int(os.environ["WORLD_SIZE"]))
    local_rank = int(os.environ["LOCAL_RANK"])
    if rank != 0:
        dist.barrier()
    torch.manual_seed(0)
    data = torch.randn(16, 4)  # the first process downloads
    if rank == 0:
        dist.barrier()
    model = nn.parallel.DistributedDataParallel(nn.Linear(4, 1).cuda(local_rank), device_ids=[local_rank])
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for x in data.split(4):
        optimizer.zero_grad()
        model(x.cuda(local_rank)).mean().backward()
        optimizer.step()
    if rank == 0:
        torch.save(model.module.state_dict(), "model.pt")
    dist.barrier()


if __name__ == "__main__":
    main()
