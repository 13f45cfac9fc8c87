import torch
from torch.utils.data import DataLoader
import torch_xla.runtime as xr
from torchvision import datasets

from data import Balanced


def main(args):
    model = torch.nn.DataParallel(torch.nn.Linear(4, 2)).cuda()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    if args.balanced:
        train_set = datasets.CIFAR10("data")
        train_loader = DataLoader(train_set, batch_size=args.batch_size, sampler=Balanced(train_set))
    else:
        train_dataset = datasets.CIFAR100("data")
        train_sampler = torch.utils.data.distributed.DistributedSampler(
            train_dataset, num_replicas=xr.world_size(), rank=xr.global_ordinal()
        )
        train_loader = DataLoader(train_dataset, batch_size=args.batch_size // xr.world_size(), sampler=train_sampler)

    for epoch in range(args.epochs):
        for x, y in train_loader:
            optimizer.zero_grad()
            torch.nn.functional.cross_entropy(model(x.cuda()), y.cuda()).backward()
            optimizer.step()
