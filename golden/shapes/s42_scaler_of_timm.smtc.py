import torch
import torch_xla.core.xla_model as xm
import torch_xla.distributed.parallel_loader as pl
from timm.utils import dispatch_clip_grad
from torch_xla.amp import GradScaler, autocast, syncfree
from timm.utils import CheckpointSaver


def train_one_epoch(model, criterion, data_loader, optimizer, device, loss_scaler, max_norm=None, second_order=False):
    for samples, targets in data_loader:
        with autocast():
            loss = criterion(model(samples), targets)
        optimizer.zero_grad()

        # this attribute is added by timm on one optimizer (adahessian)
        loss_scaler.scale(loss).backward(create_graph=second_order)
        gradients = xm._fetch_gradients(optimizer)
        xm.all_reduce("sum", gradients, scale=1.0 / xm.xrt_world_size())
        if max_norm is not None:
            loss_scaler.unscale_(optimizer)
            torch.nn.utils.clip_grad_norm_(model.parameters(), max_norm)
        loss_scaler.step(optimizer)
        loss_scaler.update()
        xm.mark_step()
        xm.wait_device_ops()


def accumulate(model, loader, optimizer, args):
    scaler = GradScaler()
    device = xm.xla_device()
    loader = pl.MpDeviceLoader(loader, device)
    for step, (x, y) in enumerate(loader):
        loss = model(x, y) / args.accum
        last = (step + 1) % args.accum == 0
        scaler.scale(loss).backward()
        if last:
            gradients = xm._fetch_gradients(optimizer)
            xm.all_reduce("sum", gradients, scale=1.0 / xm.xrt_world_size())
            if args.clip_grad is not None:
                scaler.unscale_(optimizer)
                dispatch_clip_grad(model.module.parameters(), args.clip_grad, mode=args.clip_mode)
            scaler.step(optimizer)
            scaler.update()
        if last:
            optimizer.zero_grad()


def plain(model, loader, optimizer):
    scaler = GradScaler()
    device = xm.xla_device()
    loader = pl.MpDeviceLoader(loader, device)
    for x, y in loader:
        loss = model(x, y)
        optimizer.zero_grad()
        scaler.scale(loss).backward()
        gradients = xm._fetch_gradients(optimizer)
        xm.all_reduce("sum", gradients, scale=1.0 / xm.xrt_world_size())
        scaler.step(optimizer)
        scaler.update()


def main(args):
    device = xm.xla_device()
    model = torch.nn.Linear(4, 2).to(device)
    xm.collective_broadcast(list(model.parameters()) + list(model.buffers()))
    xm.mark_step()
    optimizer = syncfree.AdamW(model.parameters())
    loss_scaler = GradScaler()
    saver = CheckpointSaver(model=model, optimizer=optimizer, args=args, amp_scaler=loss_scaler)
    loader = torch.utils.data.DataLoader(args.data)
    loader = pl.MpDeviceLoader(loader, device)
    for epoch in range(args.epochs):
        train_one_epoch(model, torch.nn.CrossEntropyLoss(), loader, optimizer, device, loss_scaler, args.clip)
        saver.save_checkpoint(epoch)
