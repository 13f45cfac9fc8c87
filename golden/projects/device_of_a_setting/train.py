import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

from settings import DEVICE_NAME, LR, PLACES, SEED


def main():
    torch.manual_seed(SEED)
    device = DEVICE_NAME
    x = torch.randn(40, 4)
    dataset = TensorDataset(x, (x.sum(1) > 0).long())
    model = nn.Linear(4, 2).to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=LR)
    for epoch in range(3):
        for x, y in DataLoader(dataset, batch_size=8):
            x, y = x.to(device), y.to(device)
            optimizer.zero_grad()
            loss = F.cross_entropy(model(x), y)
            loss.backward()
            optimizer.step()
        with torch.no_grad():
            print(PLACES["label"], epoch, model(torch.ones(8, 4).to(PLACES["eval"])).sum().item())


if __name__ == "__main__":
    main()
