import torch
from torch.utils.data import DataLoader


def cycle(loader):
    while True:
        for batch in loader:
            yield batch


class Trainer:
    def __init__(self, model, dataset):
        self.model = model.cuda()
        self.opt = torch.optim.Adam(model.parameters(), lr=1e-4)
        self.batches = cycle(DataLoader(dataset, batch_size=32, shuffle=True))

    def train(self):
        for step in range(100000):
            data = next(self.batches).cuda()
            loss = self.model(data).mean()
            loss.backward()
            self.opt.step()
            self.opt.zero_grad()
