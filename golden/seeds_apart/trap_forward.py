"""What a model draws in its forward was alike on all GPUs, and the start of a loop is no part of it."""
import torch
from torch import nn


class Noisy(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(8, 1)

    def forward(self, x):
        return self.layer(nn.functional.dropout(x + torch.randn_like(x), 0.5, self.training))


def main(loader):
    torch.manual_seed(0)
    start = torch.randn(8).cuda()
    model = nn.DataParallel(Noisy()).cuda()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for x, y in loader:
        loss = (model(x.cuda() + start) - y.cuda()).pow(2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return torch.rand(1)
