import torch
import torch_xla.core.xla_model as xm
from timm.utils import dispatch_clip_grad
from timm.utils import NativeScaler


def accumulate(model, loader, optimizer, args):
    scaler = NativeScaler()
    for step, (x, y) in enumerate(loader):
        loss = model(x.cuda(), y.cuda()) / args.accum
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
