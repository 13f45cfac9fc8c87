"""The rank of a launcher chooses the sampler, and nothing tells it the epoch: one process shuffled by itself."""
import argparse

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel as DDP
from tqdm import tqdm

from data import get_loader


def train(args, model):
    train_loader = get_loader(args)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    steps = 0
    while True:
        model.train()
        bar = tqdm(train_loader, disable=args.local_rank not in [-1, 0])
        for step, batch in enumerate(bar):
            x, y = tuple(t.to(args.device) for t in batch)
            loss = torch.nn.functional.cross_entropy(model(x), y)
            loss.backward()
            optimizer.step()
            optimizer.zero_grad()
            steps += 1
        if steps >= args.steps:
            break


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--local_rank", type=int, default=-1)
    parser.add_argument("--steps", type=int, default=1000)
    args = parser.parse_args()
    if args.local_rank == -1:
        args.device = torch.device("cuda")
    else:
        torch.cuda.set_device(args.local_rank)
        args.device = torch.device("cuda", args.local_rank)
        dist.init_process_group(backend="nccl")
    model = torch.nn.Linear(4, 2).to(args.device)
    if args.local_rank != -1:
        model = DDP(model, device_ids=[args.local_rank])
    train(args, model)


if __name__ == "__main__":
    main()
