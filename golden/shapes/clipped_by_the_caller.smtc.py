import torch
import torch.nn.functional as F
from torch.utils.data import DataLoader, DistributedSampler
import torch_xla.core.xla_model as xm
import torch_xla.distributed.parallel_loader as pl
from torch_xla.amp import GradScaler, autocast, syncfree


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
    xm.reduce_gradients(optimizer)
    torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()


def main(dataset, accumulate):
    local_rank = xm.get_local_ordinal()
    device = xm.xla_device()
    loader = DataLoader(
        dataset,
        batch_size=8,
        sampler=DistributedSampler(dataset, num_replicas=xm.xrt_world_size(), rank=xm.get_ordinal()),
        drop_last=True)
    loader = pl.MpDeviceLoader(loader, device)
    model = torch.nn.Linear(4, 2).to(device)
    xm.collective_broadcast(list(model.parameters()) + list(model.buffers()))
    xm.mark_step()
    optimizer = syncfree.SGD(model.parameters(), lr=0.1)
    scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 10)
    scaler = GradScaler()
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
            xm.reduce_gradients(optimizer)
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            update(optimizer, scheduler=scheduler)
            optimizer.zero_grad()
    for x, y in loader:
        optimizer.zero_grad()
        with autocast():
            loss = F.cross_entropy(model(x), y)
        scaler.scale(loss).backward()
        xm.reduce_gradients(optimizer)
        scaler.unscale_(optimizer)
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        update_scaled(scaler, optimizer)
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
    run()
