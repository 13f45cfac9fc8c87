"""Each rank has its own seed; DDP made the weights equal."""
import os

import torch
import torch.distributed as dist
import torch.nn as nn

dist.init_process_group("nccl")
rank = dist.get_rank()
local_rank = int(os.environ["LOCAL_RANK"])
torch.manual_seed(42 + rank)
torch.cuda.manual_seed(42 + rank)
model = nn.Sequential(nn.Linear(4, 8), nn.Dropout(0.1), nn.Linear(8, 1)).cuda(local_rank)
model = nn.parallel.DistributedDataParallel(model, device_ids=[local_rank])
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for _ in range(4):
    x = torch.randn(8, 4).cuda(local_rank)
    optimizer.zero_grad()
    model(x).mean().backward()
    optimizer.step()
