from torch import nn

from data import endless


class Trainer:
    def __init__(self, model, optimizer, loader, unlabelled):
        self.model, self.optimizer, self.loader = model, optimizer, loader
        self.unlabelled = endless(unlabelled)

    def train_epoch(self):
        for x, y in self.loader:
            z, _ = next(self.unlabelled)
            self.optimizer.zero_grad()
            loss = nn.functional.cross_entropy(self.model(x.cuda()), y.cuda())
            loss = loss + self.model(z.cuda()).pow(2).mean()
            loss.backward()
            self.optimizer.step()
        return loss
