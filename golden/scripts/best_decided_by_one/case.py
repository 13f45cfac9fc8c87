import os

import torch
import torch.distributed as dist
import torch.nn as nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


def evaluate(model, loader):
    model.eval()
    total = 0.0
    with torch.no_grad():
        for (x,) in loader:
            total += (model(x.cuda()) - x.cuda()).pow(2).mean().item()
    model.train()
    return total


def main():
    dist.init_process_group("nccl")
    local_rank = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local_rank)
    model = DDP(nn.Linear(4, 4).cuda(), device_ids=[local_rank])
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    dataset = TensorDataset(torch.randn(64, 4))
    sampler = DistributedSampler(dataset)
    loader = DataLoader(dataset, batch_size=8, sampler=sampler, drop_last=True)
    valid = DataLoader(dataset, batch_size=8)
    best = 1e9
    for epoch in range(2):
        sampler.set_epoch(epoch)
        for (x,) in loader:
            x = x.cuda()
            optimizer.zero_grad()
            loss = (model(x) - x).pow(2).mean()
            loss.backward()
            optimizer.step()
        better = [False]
        if dist.get_rank() == 0:
            score = evaluate(model.module, valid)
            better = [score < best]
            best = min(best, score)
        dist.broadcast_object_list(better, src=0)
        if better[0]:
            torch.save(model.state_dict(), "best.pt")


if __name__ == "__main__":
    main()
