import torch


def train_iteration(model, i, data, scaler,
                    optimizer, criterion):
    loss = criterion(model(data[i]))
    scaler.scale(loss).backward()
    scaler.step(optimizer)
    scaler.update()


def train(model, data, optimizer, criterion):
    scaler = torch.cuda.amp.GradScaler()
    for i in range(len(data)):
        train_iteration(model, i, data, scaler,
                        optimizer, criterion)
