import torch
from torch.utils.data import DataLoader
import torch_xla.distributed.parallel_loader as pl


def get_loaders(batch_size):
    train = DataLoader(train_set, batch_size=batch_size, shuffle=True)
    val = DataLoader(val_set, batch_size=batch_size)
    return train, val


def validate(val_loader, model):
    model.eval()
    with torch.no_grad():
        for x, y in val_loader:
            model(x)


def main():
    train_loader, val_loader = get_loaders(64)
    print(len(train_loader.dataset), "samples")
    # where we train
    device = torch.device("cuda")
    train_device_loader = pl.MpDeviceLoader(train_loader, device)
    val_loader = pl.MpDeviceLoader(val_loader, device)
    model = torch.nn.Linear(4, 2).to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for epoch in range(10):
        for x, y in train_device_loader:
            optimizer.zero_grad()
            torch.nn.functional.cross_entropy(model(x), y).backward()
            optimizer.step()
        validate(val_loader, model)
