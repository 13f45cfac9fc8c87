"""The wrapper is built around a model that moves afterwards, beside a wrapper of another library."""
import torch
import torch.nn as nn
from torch.nn.parallel import DistributedDataParallel


class Replicated:
    """The script's own wrapper."""

    def __init__(self, module):
        self.module = module


torch.distributed.init_process_group("nccl")
rank = torch.distributed.get_rank()
torch.manual_seed(1)
generator = DistributedDataParallel(nn.Linear(4, 4), device_ids=[rank]).to(rank)
critic = Replicated(nn.Linear(4, 1).to(rank))
optimizer = torch.optim.Adam(list(generator.parameters()) + list(critic.module.parameters()))
for _ in range(3):
    optimizer.zero_grad()
    critic.module(generator(torch.randn(2, 4).to(rank))).mean().backward()
    optimizer.step()
torch.save({"g": generator.module.state_dict(), "c": critic.module.state_dict()}, "gan.pt")
