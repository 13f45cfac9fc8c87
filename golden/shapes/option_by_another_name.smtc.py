import argparse

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset
import torch_xla.core.xla_model as xm
import torch_xla.distributed.parallel_loader as pl


parser = argparse.ArgumentParser()
parser.add_argument("--cuda", action="store_true")


def main():
    global opt, model
    opt = parser.parse_args()
    cuda = opt.cuda
    device = xm.xla_device()
    loader = DataLoader(TensorDataset(torch.randn(64, 4), torch.randn(64, 4)), batch_size=8, shuffle=True)
    loader = pl.MpDeviceLoader(loader, device) if opt.cuda else loader
    model = nn.Linear(4, 4)
    criterion = nn.MSELoss()
    if cuda:
        model = model.to(device)
        criterion = criterion.to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for epoch in range(3):
        train(loader, optimizer, model, criterion, epoch)


def train(loader, optimizer, model, criterion, epoch):
    model.train()
    for iteration, batch in enumerate(loader, 1):
        input, target = batch[0], batch[1]
        loss = criterion(model(input), target)
        optimizer.zero_grad()
        loss.backward()
        xm.optimizer_step(optimizer)


if __name__ == "__main__":
    main()
