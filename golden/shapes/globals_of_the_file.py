import os

import torch
import torch.distributed as dist
import torch.nn.functional as F
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, TensorDataset
from torch.utils.data.distributed import DistributedSampler

dist.init_process_group("nccl")
local_rank = int(os.environ["LOCAL_RANK"])
torch.cuda.set_device(local_rank)
device = torch.device("cuda", local_rank)
dataset = TensorDataset(torch.randn(40, 4), torch.zeros(40).long())
loader = DataLoader(dataset, batch_size=8, sampler=DistributedSampler(dataset), drop_last=True)
model = DDP(torch.nn.Linear(4, 2).to(device), device_ids=[local_rank])
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)


def train_epoch():
    for x, y in loader:
        x, y = x.to(device), y.to(device)
        optimizer.zero_grad()
        F.cross_entropy(model(x), y).backward()
        optimizer.step()


for epoch in range(3):
    loader.sampler.set_epoch(epoch)
    train_epoch()
dist.destroy_process_group()
