import torch
from torch.utils.data import DataLoader, RandomSampler, TensorDataset


def count(loader):
    return sum(len(batch) for batch, in loader)


data = TensorDataset(torch.ones(8, 2))
model = torch.nn.Linear(2, 2).cuda()
print(count(DataLoader(data, batch_size=4)))
print(count(DataLoader(data, sampler=RandomSampler(data))))
