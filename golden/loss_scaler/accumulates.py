import torch
from timm.utils import NativeScaler


def accumulate(model, loader, optimizer, args):
    scaler = NativeScaler()
    for step, (x, y) in enumerate(loader):
        loss = model(x.cuda(), y.cuda()) / args.accum
        last = (step + 1) % args.accum == 0
        scaler(loss, optimizer, clip_grad=args.clip_grad, clip_mode=args.clip_mode, parameters=model.module.parameters(), need_update=last)
        if last:
            optimizer.zero_grad()
