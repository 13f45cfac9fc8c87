import torch
from torch.cuda.amp import GradScaler, autocast
import torch_xla.core.xla_model as xm


def train(model, batches, clip):
    model.cuda()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    scaler = GradScaler()
    for x, y in batches:
        with autocast():
            loss = model(x.cuda(), y.cuda())
        scaler.scale(loss).backward()
        xm.optimizer_step(optimizer)
        scaler.update()
    for x, y in batches:
        with autocast():
            loss = model(x.cuda(), y.cuda())
        scaler.scale(loss).backward()
        xm.reduce_gradients(optimizer)
        scaler.unscale_(optimizer)
        torch.nn.utils.clip_grad_norm_(model.parameters(), clip)
        optimizer.step()
        scaler.update()
