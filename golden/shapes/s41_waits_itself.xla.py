import torch
from torch import nn
import torch_xla
import torch_xla.core.xla_model as xm
import torch_xla.distributed.parallel_loader as pl


def train_one_epoch(student, teacher, loss_fn, loader, optimizer, meters, momentum):
    device = torch_xla.device()
    loader = pl.MpDeviceLoader(loader, device)
    for images in loader:
        loss = loss_fn(student(images), teacher(images))
        optimizer.zero_grad()
        loss.backward()
        xm.reduce_gradients(optimizer)
        nn.utils.clip_grad_norm_(student.parameters(), 3.0)
        optimizer.step()

        # EMA update for the teacher
        with torch.no_grad():
            for q, k in zip(student.parameters(), teacher.parameters()):
                k.data.mul_(momentum).add_((1 - momentum) * q.detach().data)

        torch_xla.sync(wait=True)
        meters.update(loss=loss.item())


def warm_up(model, loss_fn, loader, optimizer, log):
    device = torch_xla.device()
    loader = pl.MpDeviceLoader(loader, device)
    for step, (images, targets) in enumerate(loader):
        loss = loss_fn(model(images), targets)
        optimizer.zero_grad()
        loss.backward()
        xm.optimizer_step(optimizer)
        if step % 10 == 0:
            torch_xla.sync(wait=True)
            log(loss.item())
