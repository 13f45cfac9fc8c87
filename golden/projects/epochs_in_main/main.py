import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

from engine import train_one_epoch, validate


def main():
    device = torch.device("cuda")
    train_set = TensorDataset(torch.randn(64, 4), torch.randint(2, (64,)))
    val_set = TensorDataset(torch.randn(64, 4), torch.randint(2, (64,)))
    model = nn.DataParallel(nn.Linear(4, 2)).to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    train_loader = DataLoader(train_set, batch_size=8, shuffle=True)
    val_loader = DataLoader(val_set, batch_size=8)
    for epoch in range(3):
        train_one_epoch(model, train_loader, optimizer, device)
        validate(model, val_loader, device)


if __name__ == "__main__":
    main()
