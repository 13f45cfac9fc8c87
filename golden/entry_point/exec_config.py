import torch
import torch.distributed as dist

steps = 40
device = "cuda"
exec(open("configurator.py").read())
dist.init_process_group("nccl")
