"""What is more than logging stays, and costs."""
import math

import torch
from torch.utils.data import DataLoader


def train(model, dataset, losses, top1):
    model.cuda()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    running = 0.0
    for i, (x, y) in enumerate(DataLoader(dataset)):
        loss = torch.nn.functional.mse_loss(model(x.cuda()), y.cuda())
        losses.update(loss.item(), x.size(0))
        if not math.isfinite(loss.item()):
            raise SystemExit("diverged")
        loss.backward()
        optimizer.step()
        running += loss.item()
        if i % 100 == 0:
            print(i, running / (i + 1), loss.item())
            losses.append(loss.item())
