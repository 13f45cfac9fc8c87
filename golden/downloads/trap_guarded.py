"""One process downloads already, or there is one."""
import torch
import torch.distributed as dist
from torchvision.datasets import MNIST

dist.init_process_group("nccl")
if dist.get_rank() == 0:
    MNIST("data", download=True)
dist.barrier()
data = MNIST("data", download=False)
model = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(8, 2).cuda())
