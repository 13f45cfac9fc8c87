import argparse

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


parser = argparse.ArgumentParser()
parser.add_argument("--cuda", action="store_true")


def main():
    global opt, model
    opt = parser.parse_args()
    cuda = opt.cuda
    if cuda and not torch.cuda.is_available():
        raise Exception("No GPU found")
    loader = DataLoader(TensorDataset(torch.randn(64, 4), torch.randn(64, 4)), batch_size=8, shuffle=True)
    model = nn.Linear(4, 4)
    criterion = nn.MSELoss()
    if cuda:
        model = model.cuda()
        criterion = criterion.cuda()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for epoch in range(3):
        train(loader, optimizer, model, criterion, epoch)


def train(loader, optimizer, model, criterion, epoch):
    model.train()
    for iteration, batch in enumerate(loader, 1):
        input, target = batch[0], batch[1]
        if opt.cuda:
            input = input.cuda()
            target = target.cuda()
        loss = criterion(model(input), target)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


if __name__ == "__main__":
    main()
