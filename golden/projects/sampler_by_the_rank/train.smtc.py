"""The rank of a launcher chooses the sampler, and nothing tells it the epoch: one process shuffled by itself."""
import argparse

import torch
import torch_xla.core.xla_model as xm
import torch_xla.distributed.parallel_loader as pl
from tqdm import tqdm

from data import get_loader


def train(args, model):
    train_loader = get_loader(args)
    train_device_loader = pl.MpDeviceLoader(train_loader, args.device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    steps = 0
    while True:
        model.train()
        bar = tqdm(train_device_loader, disable=args.local_rank not in [-1, 0])
        if hasattr(train_loader.sampler, "set_epoch"):
            train_loader.sampler.set_epoch(train_loader.sampler.epoch + 1)
        for step, batch in enumerate(bar):
            x, y = batch
            loss = torch.nn.functional.cross_entropy(model(x), y)
            loss.backward()
            xm.optimizer_step(optimizer)
            optimizer.zero_grad()
            steps += 1
        if steps >= args.steps:
            break


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--local_rank", type=int, default=-1)
    parser.add_argument("--steps", type=int, default=1000)
    args = parser.parse_args()
    args.local_rank = xm.get_local_ordinal()
    if args.local_rank == -1:
        args.device = xm.xla_device()
    else:
        args.device = xm.xla_device()
    model = torch.nn.Linear(4, 2).to(args.device)
    if args.local_rank != -1:
        xm.collective_broadcast(list(model.parameters()) + list(model.buffers()))
        xm.mark_step()
    train(args, model)


def _mp_fn(index):
    main()


if __name__ == "__main__":
    main()
