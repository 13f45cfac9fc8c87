"""Ranks at the top of a script, above a constant that has nothing to do with them."""
import os
import time

import torch
import torch.distributed as dist

RANK = int(os.getenv("RANK", "-1"))
LOCAL_RANK = int(os.getenv("LOCAL_RANK", "-1"))
STARTED = time.time()


def train(epochs):
    model = torch.nn.Linear(10, 2).cuda(LOCAL_RANK)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for epoch in range(epochs):
        optimizer.zero_grad()
        model(torch.randn(8, 10).cuda(LOCAL_RANK)).sum().backward()
        optimizer.step()
        if RANK in {-1, 0}:
            print(epoch, time.time() - STARTED)
            torch.save(model.state_dict(), "model.pt")


if __name__ == "__main__":
    dist.init_process_group("nccl")
    train(10)
