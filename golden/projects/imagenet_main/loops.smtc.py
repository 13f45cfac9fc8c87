import time

import torch
import torch_xla.core.xla_model as xm
import torch_xla.distributed.parallel_loader as pl

from utils import AverageMeter, ProgressMeter, accuracy


def train(train_loader, model, criterion, optimizer, epoch, device, args):
    batch_time = AverageMeter("Time", ":6.3f")
    data_time = AverageMeter("Data", ":6.3f")
    losses = AverageMeter("Loss", ":.4e")
    top1 = AverageMeter("Acc@1", ":6.2f")
    progress = ProgressMeter(len(train_loader), [batch_time, data_time, losses, top1], prefix=f"Epoch: [{epoch}]")

    model.train()
    end = time.time()
    train_loader = pl.MpDeviceLoader(train_loader, device)
    for i, (images, target) in enumerate(train_loader):
        data_time.update(time.time() - end)

        # move data to the same device as model

        output = model(images)
        loss = criterion(output, target)

        acc1, acc2 = accuracy(output, target, topk=(1, 2))
        losses.update(loss.item(), images.size(0))
        top1.update(acc1[0].item(), images.size(0))

        optimizer.zero_grad()
        loss.backward()
        xm.optimizer_step(optimizer)

        batch_time.update(time.time() - end)
        end = time.time()

        if i % args.print_freq == 0:
            progress.display(i + 1)


def validate(val_loader, model, criterion, args):
    losses = AverageMeter("Loss", ":.4e")
    top1 = AverageMeter("Acc@1", ":6.2f")
    progress = ProgressMeter(len(val_loader), [losses, top1], prefix="Test: ")

    model.eval()
    device = xm.xla_device()
    with torch.no_grad():
        val_loader = pl.MpDeviceLoader(val_loader, device)
        for i, (images, target) in enumerate(val_loader):
            output = model(images)
            loss = criterion(output, target)
            acc1, acc2 = accuracy(output, target, topk=(1, 2))
            losses.update(loss.item(), images.size(0))
            top1.update(acc1[0].item(), images.size(0))
            if i % args.print_freq == 0:
                progress.display(i + 1)

    if args.distributed:
        top1.all_reduce()
    return top1.avg
