import torch
from torch.utils.data import DataLoader
import torch_xla
import torch_xla.distributed.parallel_loader as pl


def run_epoch(model, loader, criterion, optimizer):
    for step, (x, y) in enumerate(loader):
        loss = criterion(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        print(step, len(loader))


def main(args):
    model = torch.nn.Linear(8, 2).cuda()
    criterion = torch.nn.CrossEntropyLoss().cuda()
    optimizer = torch.optim.SGD(model.parameters(), args.lr)
    device = torch_xla.device()
    loader = DataLoader(
        dataset,
        batch_size=args.batch_size,
        shuffle=True,
    )
    loader = pl.MpDeviceLoader(loader, device)
    for _ in range(args.epochs):
        run_epoch(model, loader, criterion, optimizer)
