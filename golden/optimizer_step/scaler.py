import torch
from torch.cuda.amp import GradScaler, autocast


def train(model, batches, clip):
    model.cuda()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    scaler = GradScaler()
    for x, y in batches:
        with autocast():
            loss = model(x.cuda(), y.cuda())
        scaler.scale(loss).backward()
        scaler.step(optimizer)
        scaler.update()
    for x, y in batches:
        with autocast():
            loss = model(x.cuda(), y.cuda())
        scaler.scale(loss).backward()
        scaler.unscale_(optimizer)
        torch.nn.utils.clip_grad_norm_(model.parameters(), clip)
        scaler.step(optimizer)
        scaler.update()
