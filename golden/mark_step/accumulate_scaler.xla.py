import torch
from torch.cuda.amp import GradScaler, autocast
import torch_xla


def train(model, get_batch, scheduler, n):
    model.cuda()
    optimizer = torch.optim.Adam(model.parameters())
    scaler = GradScaler()
    for i in range(1000):
        x, y = get_batch(i)
        with autocast():
            loss = model(x.cuda(), y.cuda()) / n
        scaler.scale(loss).backward()
        if (i + 1) % n == 0:
            scaler.unscale_(optimizer)
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            scaler.step(optimizer)
            scaler.update()
            optimizer.zero_grad()
            torch_xla.sync()
            print("stepped")
