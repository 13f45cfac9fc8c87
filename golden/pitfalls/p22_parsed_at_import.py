"""Pitfall 22: arguments and devices at module level, where every process imports them again."""
import argparse

import torch
import torch.distributed as dist
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

parser = argparse.ArgumentParser()
parser.add_argument("--local_rank", type=int, default=0)
parser.add_argument("--lr", type=float, default=0.1)
args = parser.parse_args()

torch.cuda.set_device(args.local_rank)
dist.init_process_group("nccl")
torch.manual_seed(0)

dataset = TensorDataset(torch.randn(64, 4))
loader = DataLoader(dataset, batch_size=8, sampler=DistributedSampler(dataset))
model = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(4, 1).cuda(), device_ids=[args.local_rank])
optimizer = torch.optim.SGD(model.parameters(), lr=args.lr)


def train():
    for (x,) in loader:
        optimizer.zero_grad()
        model(x.cuda()).pow(2).mean().backward()
        optimizer.step()


if __name__ == "__main__":
    train()
