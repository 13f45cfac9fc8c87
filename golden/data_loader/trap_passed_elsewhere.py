"""A loader that code of another file goes through stays a loader: who iterates wraps."""
import torch
from torch.utils import data as td

import engine


def main(args):
    device = torch.device("cuda")
    model = torch.nn.Linear(4, 2).to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    train_loader = td.DataLoader(train_set, batch_size=8, shuffle=True)
    test_loader = td.DataLoader(test_set, batch_size=8)
    for epoch in range(args.epochs):
        engine.train_one_epoch(model, train_loader, optimizer, device, epoch)
    print(engine.evaluate(model, data_loader=test_loader))
