import torch
from torch.utils.data import DataLoader


class Trainer:
    def __init__(self, model, optimizer, dataset):
        self.device = torch.device("cuda")
        self.model = model.to(self.device)
        self.optimizer = optimizer
        self.loader = DataLoader(dataset, batch_size=32, shuffle=True)

    def run_epoch(self, epoch):
        print(epoch, self.loader.batch_size)
        for source, targets in self.loader:
            source = source.to(self.device)
            targets = targets.to(self.device)
            self.optimizer.zero_grad()
            loss = torch.nn.functional.cross_entropy(self.model(source), targets)
            loss.backward()
            self.optimizer.step()
