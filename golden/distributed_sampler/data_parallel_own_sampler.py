import torch
from torch.utils.data import DataLoader, IterableDataset, WeightedRandomSampler


class Stream(IterableDataset):
    def __iter__(self):
        yield from read()


def train(loader):
    for x, y in loader:
        optimizer.zero_grad()
        torch.nn.functional.cross_entropy(model(x.cuda()), y.cuda()).backward()
        optimizer.step()


model = torch.nn.DataParallel(torch.nn.Linear(4, 2)).cuda()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
train(DataLoader(dataset, batch_size=64, sampler=WeightedRandomSampler(weights, 1000)))
train(DataLoader(Stream(), batch_size=64))
