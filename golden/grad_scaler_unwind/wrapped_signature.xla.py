import torch


def train_iteration(model, i, data,
                    optimizer, criterion):
    loss = criterion(model(data[i]))
    loss.backward()
    scaler.step(optimizer)


def train(model, data, optimizer, criterion):
    for i in range(len(data)):
        train_iteration(model, i, data,
                        optimizer, criterion)
