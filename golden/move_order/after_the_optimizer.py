import torch
import torch.nn as nn
import torch.optim as optim


def main(args):
    model = nn.Linear(4, 2)
    criterion = nn.CrossEntropyLoss()

    # plain SGD
    optimizer = optim.SGD(model.parameters(), lr=0.1)
    scheduler = optim.lr_scheduler.StepLR(optimizer, 1)

    device = torch.device("cuda")
    # to the GPU
    model.to(device)
    criterion.to(device)
    for x, y in args.loader:
        optimizer.zero_grad()
        criterion(model(x.to(device)), y.to(device)).backward()
        optimizer.step()
    scheduler.step()
