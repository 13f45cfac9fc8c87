"""A name holds the loss first and a number later: what is logged then is on the host already."""
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset


def value(tensor):
    return tensor.item()


class Trainer:
    def __init__(self):
        self.model = nn.Linear(8, 1).cuda()
        self.optimizer = torch.optim.SGD(self.model.parameters(), lr=0.1)
        self.loader = DataLoader(TensorDataset(torch.randn(64, 8)), batch_size=8, drop_last=True)

    def numbers(self):
        for step, (x,) in enumerate(self.loader):
            self.optimizer.zero_grad()
            terms = 0.0
            for y in (self.model(x.cuda()), self.model(-x.cuda())):
                terms += (y - 1).pow(2).mean()
            loss = terms + self.model(x.cuda()).abs().mean()
            loss.backward()
            self.optimizer.step()
            loss, terms = loss.item() / 2, float(terms)
            if step % 4 == 0:
                print(step, loss, terms)

    def by_function(self):
        for step, (x,) in enumerate(self.loader):
            loss = self.model(x.cuda()).pow(2).mean()
            self.optimizer.zero_grad()
            loss.backward()
            self.optimizer.step()
            loss = value(loss)
            if step % 4 == 0:
                print("step %d loss %.4f" % (step, loss))

    def attribute(self):
        for step, (x,) in enumerate(self.loader):
            self.loss = self.model(x.cuda()).pow(2).mean()
            self.optimizer.zero_grad()
            self.loss.backward()
            self.optimizer.step()
            self.loss = self.loss.detach().cpu().numpy()
            if step % 4 == 0:
                print("step", step, self.loss)

    def either(self, verbose=True):
        for step, (x,) in enumerate(self.loader):
            loss = self.model(x.cuda()).pow(2).mean()
            self.optimizer.zero_grad()
            loss.backward()
            self.optimizer.step()
            if verbose:
                loss = loss.item()
            if step % 4 == 0:
                print("step", step, loss)

    def sum(self):
        for step, (x,) in enumerate(self.loader):
            loss = 0
            for y in (self.model(x.cuda()), self.model(-x.cuda())):
                loss += (y - 1).pow(2).mean()
            self.optimizer.zero_grad()
            loss.backward()
            self.optimizer.step()
            if step % 4 == 0:
                print("step", step, loss)

    def sometimes(self):
        for step, (x,) in enumerate(self.loader):
            loss = 0
            if step % 2 == 0:
                loss = self.model(x.cuda()).pow(2).mean()
                self.optimizer.zero_grad()
                loss.backward()
                self.optimizer.step()
            if step % 3 == 0:
                print("step", step, loss)


if __name__ == "__main__":
    trainer = Trainer()
    trainer.numbers()
    trainer.by_function()
    trainer.attribute()
    trainer.either()
    trainer.sum()
    trainer.sometimes()
