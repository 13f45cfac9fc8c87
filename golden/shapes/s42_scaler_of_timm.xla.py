import torch
import torch_xla
import torch_xla.core.xla_model as xm
import torch_xla.distributed.parallel_loader as pl
from timm.utils import dispatch_clip_grad
from timm.utils import CheckpointSaver, NativeScaler


def train_one_epoch(model, criterion, data_loader, optimizer, device, loss_scaler, max_norm=None, second_order=False):
    for samples, targets in data_loader:
        with torch.autocast("xla", dtype=torch.bfloat16):
            loss = criterion(model(samples), targets)
        optimizer.zero_grad()

        # this attribute is added by timm on one optimizer (adahessian)
        loss.backward(create_graph=second_order)
        xm.reduce_gradients(optimizer)
        if max_norm is not None:
            torch.nn.utils.clip_grad_norm_(model.parameters(), max_norm)
        optimizer.step()
        torch_xla.sync(wait=True)


def accumulate(model, loader, optimizer, args):
    scaler = NativeScaler()
    device = torch_xla.device()
    loader = pl.MpDeviceLoader(loader, device)
    for step, (x, y) in enumerate(loader):
        loss = model(x, y) / args.accum
        last = (step + 1) % args.accum == 0
        loss.backward()
        if last:
            for group in optimizer.param_groups:
                for p in group["params"]:
                    if p.grad is not None:
                        p.grad = p.grad.clone()  # else clipping loses the average
            xm.reduce_gradients(optimizer)
            if args.clip_grad is not None:
                dispatch_clip_grad(model.module.parameters(), args.clip_grad, mode=args.clip_mode)
            optimizer.step()
        if last:
            optimizer.zero_grad()


def plain(model, loader, optimizer):
    scaler = NativeScaler()
    device = torch_xla.device()
    loader = pl.MpDeviceLoader(loader, device)
    for x, y in loader:
        loss = model(x, y)
        optimizer.zero_grad()
        loss.backward()
        xm.optimizer_step(optimizer)


def main(args):
    device = torch_xla.device()
    model = torch.nn.Linear(4, 2).to(device)
    xm.broadcast_master_param(model)
    optimizer = torch.optim.AdamW(model.parameters())
    loss_scaler = NativeScaler()
    saver = CheckpointSaver(model=model, optimizer=optimizer, args=args, amp_scaler=loss_scaler)
    loader = torch.utils.data.DataLoader(args.data)
    loader = pl.MpDeviceLoader(loader, device)
    for epoch in range(args.epochs):
        train_one_epoch(model, torch.nn.CrossEntropyLoss(), loader, optimizer, device, loss_scaler, args.clip)
        saver.save_checkpoint(epoch)
