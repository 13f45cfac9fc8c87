import torch


def train(args, model, loader, optimizer):
    for batch in loader:
        loss = model(**batch)[0]
        loss.backward()
        optimizer.step()
