"""One optimizer or another, and perhaps a second one, before the model moves."""
import torch
from torch import optim


def main(args, loader):
    model = torch.nn.Sequential(torch.nn.Embedding(10, 4, sparse=args.sparse), torch.nn.Linear(4, 2))
    if args.optim == "sgd":
        if args.sparse:
            second = optim.SGD(model[0].parameters(), lr=0.2)
            optimizer = optim.SGD(model[1].parameters(), lr=0.1)
        else:
            optimizer = optim.SGD(model.parameters(), lr=0.1)
            second = None
    elif args.optim == "adam":
        optimizer = optim.Adam(model.parameters(), lr=0.1)
        second = None

    model = model.cuda()
    for x, y in loader:
        optimizer.zero_grad()
        torch.nn.functional.cross_entropy(model(x.cuda()).mean(1), y.cuda()).backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        if second:
            second.step()
            second.zero_grad()
