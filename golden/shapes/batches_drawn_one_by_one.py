import torch
from torch.utils.data import DataLoader


def fresh(net, dataset, optimizer):
    loader = DataLoader(dataset, batch_size=4)
    for step in range(1000):
        x, y = next(iter(loader))
        optimizer.zero_grad()
        torch.nn.functional.mse_loss(net(x.cuda()), y.cuda()).backward()
        optimizer.step()


def method(net, dataset, optimizer):
    loader = DataLoader(dataset, batch_size=4)
    batches = iter(loader)
    for step in range(1000):
        try:
            x, y = batches.next()
        except StopIteration:
            batches = iter(loader)
            x, y = batches.__next__()
        x = x.cuda()
        optimizer.zero_grad()
        torch.nn.functional.mse_loss(net(x), y.cuda()).backward()
        optimizer.step()


def both(net, dataset, other, optimizer):
    more = iter(DataLoader(other, batch_size=4))
    for x, y in DataLoader(dataset, batch_size=4):
        z, _ = next(more)
        optimizer.zero_grad()
        torch.nn.functional.mse_loss(net(x.cuda() + z.cuda()), y.cuda()).backward()
        optimizer.step()


def run(net, dataset):
    loader = DataLoader(dataset, batch_size=4)
    for step in range(10):
        print(net(next(iter(loader))[0].cuda()))
