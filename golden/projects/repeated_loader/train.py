import argparse
import os

import torch
import torch.distributed as dist
import torch.nn.functional as F
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import TensorDataset

from repeated import RepeatedDataLoader, RepeatedDistributedSampler


def parse_args():
    parser = argparse.ArgumentParser()
    parser.add_argument("--local_rank", type=int, default=os.getenv("LOCAL_RANK", 0))
    parser.add_argument("--repeats", type=int, default=2)
    return parser.parse_args()


def main():
    args = parse_args()
    torch.cuda.set_device(args.local_rank)
    dist.init_process_group("nccl", init_method="env://")
    torch.manual_seed(0)
    dataset = TensorDataset(torch.randn(32, 4), torch.randint(0, 2, (32,)))
    sampler = RepeatedDistributedSampler(args.repeats, dataset, drop_last=True)
    loader = RepeatedDataLoader(args.repeats, dataset, batch_size=4, drop_last=True, sampler=sampler, pin_memory=True)
    model = DDP(torch.nn.Linear(4, 2).cuda(), device_ids=[args.local_rank])
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for input, target in loader:
        loss = F.cross_entropy(model(input.cuda()), target.cuda())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    if args.local_rank == 0:
        print(f"loss {loss.item():.4f}")


if __name__ == "__main__":
    main()
