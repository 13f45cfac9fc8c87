import torch
from torch.utils.data import DataLoader

device = torch.device("cuda")
model = torch.nn.Linear(4, 2).to(device)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)


def train(loader):
    for x, y in loader:
        optimizer.zero_grad()
        torch.nn.functional.cross_entropy(model(x.to(device)), y.to(device)).backward()
        optimizer.step()


train(DataLoader(dataset, batch_size=8, drop_last=True))
train(DataLoader(dataset, batch_size=8, drop_last=args.drop_last))
train(DataLoader(dataset, 8, True, None, None, 0, None, False, True))
train(DataLoader(dataset, batch_size=1))
train(DataLoader(dataset, batch_size=None))
train(DataLoader(dataset))
train(DataLoader(dataset, batch_sampler=buckets))
train(DataLoader(dataset, **options))
