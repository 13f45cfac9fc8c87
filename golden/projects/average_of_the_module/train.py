import torch
from torch import nn
from torch.utils.data import DataLoader

from engine import train_epoch
from net import Net, make_data


def main():
    torch.manual_seed(7)
    device = torch.device("cuda")
    loader = DataLoader(make_data(), batch_size=8, shuffle=True, drop_last=True)
    model = Net(8)
    model = model.to(device)
    model = nn.DataParallel(model)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    average = {name: value.clone() for name, value in model.module.state_dict().items()}
    for epoch in range(3):
        train_epoch(device, loader, model, optimizer, average)
    print(f"{sum(value.abs().sum() for value in average.values()).item():.4f}")


if __name__ == "__main__":
    main()
