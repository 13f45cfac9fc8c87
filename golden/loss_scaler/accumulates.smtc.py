import torch
import torch_xla.core.xla_model as xm
from timm.utils import dispatch_clip_grad
from torch_xla.amp import GradScaler


def accumulate(model, loader, optimizer, args):
    scaler = GradScaler()
    for step, (x, y) in enumerate(loader):
        loss = model(x.cuda(), y.cuda()) / args.accum
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
