import torch
import torch.nn as nn
import torch.optim as optim
import torch_xla


def main(args):
    model = nn.Linear(4, 2)
    criterion = nn.CrossEntropyLoss()

    device = torch_xla.device()
    model.to(device)
    # plain SGD
    optimizer = optim.SGD(model.parameters(), lr=0.1)
    scheduler = optim.lr_scheduler.StepLR(optimizer, 1)

    # to the GPU
    criterion.to(device)
    for x, y in args.loader:
        optimizer.zero_grad()
        criterion(model(x.to(device)), y.to(device)).backward()
        optimizer.step()
    scheduler.step()
