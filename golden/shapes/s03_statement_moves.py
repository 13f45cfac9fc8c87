"""`self.net.cuda()` as a statement moves in place; a rebinding would break the other name for it."""
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset

net = nn.Linear(8, 2)


class Solver:
    def __init__(self, model):
        self.net = model
        self.criterion = nn.CrossEntropyLoss()
        if torch.cuda.is_available():
            self.net.cuda()
            self.criterion.cuda()
        self.optimizer = torch.optim.SGD(self.net.parameters(), lr=0.1)

    def fit(self, loader):
        for x, y in loader:
            x = x.cuda()
            y = y.cuda()
            self.optimizer.zero_grad()
            self.criterion(self.net(x), y).backward()
            self.optimizer.step()


data = TensorDataset(torch.randn(64, 8), torch.randint(2, (64,)))
solver = Solver(net)
solver.fit(DataLoader(data, batch_size=16, drop_last=True))
print(net.weight.sum().item())
