import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

from pictures import save_sheet
from tools import fresh_folder, save_json


def main():
    device = torch.device("cuda")
    fresh_folder("samples")
    model = nn.DataParallel(nn.Conv2d(3, 3, 3, padding=1)).to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    loader = DataLoader(TensorDataset(torch.rand(64, 3, 8, 8)), 8, shuffle=True, drop_last=True)
    for epoch in range(2):
        for (x,) in loader:
            x = x.to(device)
            loss = (model(x) - x).pow(2).mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        save_sheet(model(x).detach(), 4, f"samples/{epoch}.png")
        save_json({"loss": loss.item()}, f"samples/{epoch}.json")


if __name__ == "__main__":
    main()
