"""Its processes were several before: the script sees to its directories itself."""

import os

import torch
import torch.distributed as dist

dist.init_process_group("nccl")
if dist.get_rank() == 0:
    os.makedirs("runs")
dist.barrier()
model = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(2, 2).cuda())
