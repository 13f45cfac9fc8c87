"""Forms of the same operators that XLA has: with a dimension, another order, or written out."""

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader


class Pooled(nn.Module):
    def forward(self, x):
        x = F.avg_pool2d(x, 2)
        return x.amax(dim=(2, 3)) + x.max() + x.norm(2)


def main(dataset):
    device = torch.device("cuda")
    model = nn.Sequential(nn.Conv2d(1, 4, 3), Pooled(), nn.Linear(4, 2)).to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    eye = torch.eye(2, dtype=torch.bool, device=device)
    for x, y in DataLoader(dataset, batch_size=8, drop_last=True):
        target = torch.mm(y.to(device).t(), y.to(device)).masked_fill_(eye, 1.0)
        out = model(x.to(device))
        loss = (torch.mm(out.t(), out) - target).pow(2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
