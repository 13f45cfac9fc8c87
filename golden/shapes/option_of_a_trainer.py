import argparse

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Trainer:
    def __init__(self, use_cuda):
        self.use_cuda = use_cuda
        self.model = nn.Linear(4, 2)
        if self.use_cuda:
            self.model = self.model.cuda()
        self.optimizer = torch.optim.SGD(self.model.parameters(), lr=0.1)

    def train(self, loader):
        for x, y in loader:
            if self.use_cuda:
                x, y = x.cuda(), y.cuda()
            self.optimizer.zero_grad()
            nn.functional.cross_entropy(self.model(x), y).backward()
            self.optimizer.step()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--cuda", action="store_true")
    args = parser.parse_args()
    loader = DataLoader(TensorDataset(torch.randn(64, 4), torch.randint(2, (64,))), batch_size=8, shuffle=True)
    trainer = Trainer(args.cuda)
    for epoch in range(3):
        trainer.train(loader)


if __name__ == "__main__":
    main()
