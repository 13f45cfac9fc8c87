import torch
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP

torch.distributed.init_process_group("nccl")
model = FSDP(torch.nn.Linear(2, 2).cuda())
model(torch.zeros(1, 2).cuda())
