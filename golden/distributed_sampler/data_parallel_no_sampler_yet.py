import torch
from torch.utils.data import DataLoader


def set_loader(args, dataset):
    train_sampler = None
    return DataLoader(
        dataset, batch_size=args.batch_size, shuffle=(train_sampler is None), num_workers=4, sampler=train_sampler)


def main(args, dataset):
    model = torch.nn.DataParallel(torch.nn.Linear(4, 2)).cuda()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    loader = set_loader(args, dataset)
    for epoch in range(args.epochs):
        for x, y in loader:
            optimizer.zero_grad()
            torch.nn.functional.cross_entropy(model(x.cuda()), y.cuda()).backward()
            optimizer.step()
