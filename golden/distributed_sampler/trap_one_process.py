import torch
from torch.utils.data import DataLoader


class DistributedSampler:
    def __init__(self, dataset):
        self.dataset = dataset


model = torch.nn.Linear(4, 2).cuda()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
loader = DataLoader(dataset, batch_size=8, sampler=DistributedSampler(dataset))
for x, y in loader:
    optimizer.zero_grad()
    torch.nn.functional.cross_entropy(model(x.cuda()), y.cuda()).backward()
    optimizer.step()
