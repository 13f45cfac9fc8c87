import torch
from torch import nn


def train_one_epoch(student, teacher, loss_fn, loader, optimizer, meters, momentum):
    for images in loader:
        images = images.cuda(non_blocking=True)
        loss = loss_fn(student(images), teacher(images))
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(student.parameters(), 3.0)
        optimizer.step()

        # EMA update for the teacher
        with torch.no_grad():
            for q, k in zip(student.parameters(), teacher.parameters()):
                k.data.mul_(momentum).add_((1 - momentum) * q.detach().data)

        torch.cuda.synchronize()
        meters.update(loss=loss.item())


def warm_up(model, loss_fn, loader, optimizer, log):
    for step, (images, targets) in enumerate(loader):
        loss = loss_fn(model(images.cuda()), targets.cuda())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if step % 10 == 0:
            torch.cuda.synchronize()
            log(loss.item())
