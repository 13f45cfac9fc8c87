import argparse

from torch import nn, optim
from torch.utils.data import DataLoader
from torchvision import datasets, transforms


def main(args):
    model = nn.DataParallel(Net()).cuda()
    optimizer = optim.SGD(model.parameters(), lr=0.1)
    loader = DataLoader(
        datasets.MNIST("../data", train=True, download=True,
                       transform=transforms.ToTensor()),
        batch_size=args.batch_size * 2,  # for both of them
        shuffle=not args.ordered,
    )
    for epoch in range(args.epochs):
        # one pass
        for x, y in loader:
            optimizer.zero_grad()
            nn.functional.cross_entropy(model(x), y.cuda()).backward()
            optimizer.step()
