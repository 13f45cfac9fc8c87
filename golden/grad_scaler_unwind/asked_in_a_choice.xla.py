import torch


def train_one_step(args, model, optimizer, features):
    loss = model(features).mean()
    loss.backward()
    scaler.step(optimizer)
    skipped = 0
    return loss, skipped


def train(args, model, loader, optimizer):
    for features in loader:
        loss, skipped = train_one_step(args, model.cuda(), optimizer, features.cuda())
