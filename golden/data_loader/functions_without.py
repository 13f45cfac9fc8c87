import torch
from torch.utils.data import DataLoader


def run_epoch(model, loader, criterion, optimizer):
    for step, (x, y) in enumerate(loader):
        x = x.cuda(non_blocking=True)
        y = y.cuda(non_blocking=True)
        loss = criterion(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        print(step, len(loader))


def main(args):
    model = torch.nn.Linear(8, 2).cuda()
    criterion = torch.nn.CrossEntropyLoss().cuda()
    optimizer = torch.optim.SGD(model.parameters(), args.lr)
    loader = DataLoader(
        dataset,
        batch_size=args.batch_size,
        shuffle=True,
    )
    for _ in range(args.epochs):
        run_epoch(model, loader, criterion, optimizer)
