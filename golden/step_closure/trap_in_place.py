"""The tensor changes in place after it is printed: a late print would show the new value."""
import torch
from torch.utils.data import DataLoader


def train(model, dataset):
    model.cuda()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for x, y in DataLoader(dataset):
        loss = torch.nn.functional.mse_loss(model(x.cuda()), y.cuda())
        print("raw", loss.item())
        loss /= 2
        loss.backward()
        optimizer.step()
