"""A generator of its own is the author's; without DataParallel there is one process."""
import torch
from torch import nn


def train(model, loader, seed):
    generator = torch.Generator().manual_seed(seed)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for x, y in loader:
        noise = torch.randn(x.shape, generator=generator)
        loss = (model((x + noise).cuda()) - y.cuda()).pow(2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


def main(loader):
    train(nn.DataParallel(nn.Linear(8, 1)).cuda(), loader, 0)
