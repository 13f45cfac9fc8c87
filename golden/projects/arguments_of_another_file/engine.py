import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Trainer:
    def __init__(self, options):
        self.model = nn.Linear(8, 2).cuda()
        self.optimizer = torch.optim.SGD(self.model.parameters(), lr=options.lr)
        data = TensorDataset(torch.randn(64, 8), torch.randint(0, 2, (64,)))
        self.loader = DataLoader(data, batch_size=8, shuffle=True)

    def train(self):
        for x, y in self.loader:
            loss = F.cross_entropy(self.model(x.cuda()), y.cuda())
            self.optimizer.zero_grad()
            loss.backward()
            self.optimizer.step()
