"""`DataParallel` moved the images, the loop the targets; what the pictures are drawn of stayed on the host."""

import torch
from torch.utils.data import DataLoader

from joints import Joints
from drawing import show


def train(model, loader, optimizer, criterion, epoch):
    for i, (images, target, meta) in enumerate(loader):
        output = model(images)
        target = target.cuda(non_blocking=True)
        loss = criterion(output, target)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if i % 10 == 0:
            print(i, loss.item())
            show(images, meta, epoch)


def main():
    torch.manual_seed(0)
    model = torch.nn.Linear(4, 3)
    model = torch.nn.DataParallel(model).cuda()
    criterion = torch.nn.MSELoss().cuda()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    loader = DataLoader(Joints(), batch_size=4, shuffle=True)
    for epoch in range(2):
        train(model, loader, optimizer, criterion, epoch)


if __name__ == "__main__":
    main()
