import os

import torch
import torch.distributed as dist
import torch.nn.functional as F
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, DistributedSampler


def update(optimizer, scheduler):
    optimizer.step()
    scheduler.step()


def update_scaled(scaler, optimizer):
    scaler.step(optimizer)
    scaler.update()


class Stepper:
    def __init__(self, optimizer):
        self.inner = optimizer

    def step(self):
        self.inner.step()


def update_clipped(model, optimizer):
    torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()


def main(dataset, accumulate):
    dist.init_process_group("nccl")
    local_rank = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local_rank)
    loader = DataLoader(dataset, batch_size=8, sampler=DistributedSampler(dataset), drop_last=True)
    model = DistributedDataParallel(torch.nn.Linear(4, 2).cuda(), device_ids=[local_rank])
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 10)
    scaler = torch.cuda.amp.GradScaler()
    for x, y in loader:
        optimizer.zero_grad()
        F.cross_entropy(model(x.cuda()), y.cuda()).backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        update(optimizer, scheduler)
    for step, (x, y) in enumerate(loader):
        loss = F.cross_entropy(model(x.cuda()), y.cuda()) / accumulate
        loss.backward()
        if (step + 1) % accumulate == 0:
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            update(optimizer, scheduler=scheduler)
            optimizer.zero_grad()
    for x, y in loader:
        optimizer.zero_grad()
        with torch.cuda.amp.autocast():
            loss = F.cross_entropy(model(x.cuda()), y.cuda())
        scaler.scale(loss).backward()
        scaler.unscale_(optimizer)
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        update_scaled(scaler, optimizer)
    for x, y in loader:
        optimizer.zero_grad()
        F.cross_entropy(model(x.cuda()), y.cuda()).backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        Stepper(optimizer).step()
    for x, y in loader:
        optimizer.zero_grad()
        F.cross_entropy(model(x.cuda()), y.cuda()).backward()
        update_clipped(model, optimizer)


if __name__ == "__main__":
    main(torch.load("data.pt"), 2)
