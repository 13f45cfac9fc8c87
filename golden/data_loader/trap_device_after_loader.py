import torch
from torch.utils.data import DataLoader


def get_loaders(batch_size):
    train = DataLoader(train_set, batch_size=batch_size, shuffle=True)
    val = DataLoader(val_set, batch_size=batch_size)
    return train, val


def validate(val_loader, model):
    model.eval()
    with torch.no_grad():
        for x, y in val_loader:
            model(x.cuda())


def main():
    train_loader, val_loader = get_loaders(64)
    print(len(train_loader.dataset), "samples")
    # where we train
    device = torch.device("cuda")
    model = torch.nn.Linear(4, 2).to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for epoch in range(10):
        for x, y in train_loader:
            x, y = x.to(device), y.to(device)
            optimizer.zero_grad()
            torch.nn.functional.cross_entropy(model(x), y).backward()
            optimizer.step()
        validate(val_loader, model)
