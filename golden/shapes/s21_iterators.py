import torch
from torch.utils.data import DataLoader
from tqdm import tqdm

from metrics import MetricLogger


def endless(loader):
    while True:
        yield from loader


class Trainer:
    def __init__(self, model, dataset):
        self.model = model.cuda()
        self.optimizer = torch.optim.SGD(self.model.parameters(), lr=0.1)
        self.loader = DataLoader(dataset, batch_size=8, shuffle=True, drop_last=True)

    def step(self, x, y):
        loss = torch.nn.functional.cross_entropy(self.model(x), y)
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()
        return loss

    def one_pass(self):
        self.model.train()
        tbar = tqdm(self.loader)
        for x, y in tbar:
            x, y = x.cuda(), y.cuda()
            self.step(x, y)
            tbar.set_description("training")

    def for_steps(self, steps):
        batches = iter(endless(self.loader))
        for _ in range(steps):
            x, y = next(batches)
            self.step(x.cuda(), y.cuda())

    def logged(self):
        logger = MetricLogger(delimiter="  ")
        for x, y in logger.log_every(self.loader, 10, "Epoch"):
            x, y = x.cuda(non_blocking=True), y.cuda(non_blocking=True)
            self.step(x, y)


def main():
    trainer = Trainer(torch.nn.Linear(4, 2), dataset)
    trainer.one_pass()
    trainer.for_steps(1000)
    trainer.logged()


if __name__ == "__main__":
    main()
