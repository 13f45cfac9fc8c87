import torch
from torch.utils.data import DataLoader
from torchvision import datasets


def main(args):
    model = torch.nn.DataParallel(torch.nn.Linear(4, 2)).cuda()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    if args.dataset == "cifar10":
        train_loader = DataLoader(datasets.CIFAR10("data"), batch_size=args.batch_size, shuffle=True)
    elif args.dataset == "cifar100":
        train_loader = DataLoader(datasets.CIFAR100("data"), batch_size=args.batch_size, shuffle=True)
    else:
        train_dataset = datasets.ImageFolder(args.data)
        train_sampler = None
        train_loader = DataLoader(
            train_dataset, batch_size=args.batch_size, shuffle=(train_sampler is None), sampler=train_sampler)

    for epoch in range(args.epochs):
        for x, y in train_loader:
            optimizer.zero_grad()
            torch.nn.functional.cross_entropy(model(x.cuda()), y.cuda()).backward()
            optimizer.step()
