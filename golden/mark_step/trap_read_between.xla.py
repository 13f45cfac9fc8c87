"""A value of every iteration between backward and step, under a device loader: a mark before it, or forward runs twice."""
import torch
from torch.utils.data import DataLoader
import torch_xla


def train(model, dataset, n, rank):
    model.cuda()
    optimizer = torch.optim.Adam(model.parameters())
    total = 0.0
    for i, (x, y) in enumerate(DataLoader(dataset)):
        loss = torch.nn.functional.mse_loss(model(x.cuda()), y.cuda())
        loss.backward()
        torch_xla.sync()
        if rank == 0:
            total += loss.item()
        if i % n == 0:
            optimizer.step()
            optimizer.zero_grad()
    return total
