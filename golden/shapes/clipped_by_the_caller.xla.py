import torch
import torch.nn.functional as F
from torch.utils.data import DataLoader, DistributedSampler
import torch_xla
import torch_xla.core.xla_model as xm
import torch_xla.distributed.parallel_loader as pl
import torch_xla.runtime as xr


def update(optimizer, scheduler):
    optimizer.step()
    scheduler.step()


def update_scaled(optimizer):
    optimizer.step()


class Stepper:
    def __init__(self, optimizer):
        self.inner = optimizer

    def step(self):
        self.inner.step()


def update_clipped(model, optimizer):
    xm.reduce_gradients(optimizer)
    torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()


def main(dataset, accumulate):
    local_rank = xr.local_ordinal()
    device = torch_xla.device()
    loader = DataLoader(
        dataset,
        batch_size=8,
        sampler=DistributedSampler(dataset, num_replicas=xr.world_size(), rank=xr.global_ordinal()),
        drop_last=True)
    loader = pl.MpDeviceLoader(loader, device)
    model = torch.nn.Linear(4, 2).to(device)
    xm.broadcast_master_param(model)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 10)
    for x, y in loader:
        optimizer.zero_grad()
        F.cross_entropy(model(x), y).backward()
        xm.reduce_gradients(optimizer)
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        update(optimizer, scheduler)
    for step, (x, y) in enumerate(loader):
        loss = F.cross_entropy(model(x), y) / accumulate
        loss.backward()
        if (step + 1) % accumulate == 0:
            for group in optimizer.param_groups:
                for p in group["params"]:
                    if p.grad is not None:
                        p.grad = p.grad.clone()  # else clipping loses the average
            xm.reduce_gradients(optimizer)
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            update(optimizer, scheduler=scheduler)
            optimizer.zero_grad()
    for x, y in loader:
        optimizer.zero_grad()
        with torch.autocast("xla", dtype=torch.bfloat16):
            loss = F.cross_entropy(model(x), y)
        loss.backward()
        xm.reduce_gradients(optimizer)
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        update_scaled(optimizer)
    for x, y in loader:
        optimizer.zero_grad()
        F.cross_entropy(model(x), y).backward()
        xm.reduce_gradients(optimizer)
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        Stepper(optimizer).step()
    for x, y in loader:
        optimizer.zero_grad()
        F.cross_entropy(model(x), y).backward()
        update_clipped(model, optimizer)


def run():
    main(torch.load("data.pt", map_location="cpu"), 2)


def _mp_fn(index):
    run()


if __name__ == "__main__":
    torch_xla.launch(_mp_fn)
