import argparse

from torch import nn, optim
from torch.utils.data import DataLoader
import torch
import torch_xla.core.xla_model as xm
from torchvision import datasets, transforms


def main(args):
    model = nn.DataParallel(Net()).cuda()
    optimizer = optim.SGD(model.parameters(), lr=0.1)
    train_dataset = datasets.MNIST("../data", train=True, download=True,
                       transform=transforms.ToTensor())
    train_sampler = torch.utils.data.distributed.DistributedSampler(
        train_dataset, num_replicas=xm.xrt_world_size(), rank=xm.get_ordinal(), shuffle=not args.ordered
    )
    loader = DataLoader(
        train_dataset,
        batch_size=(args.batch_size * 2) // xm.xrt_world_size(),  # for both of them
        sampler=train_sampler,
    )
    for epoch in range(args.epochs):
        train_sampler.set_epoch(epoch)
        # one pass
        for x, y in loader:
            optimizer.zero_grad()
            nn.functional.cross_entropy(model(x), y.cuda()).backward()
            optimizer.step()
