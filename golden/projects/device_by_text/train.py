import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader

from data import DeviceLoader
from data import make_data


def main():
    torch.manual_seed(7)
    device = "cuda" if torch.cuda.is_available() else "cpu"
    dataset = make_data(7)
    loader = DataLoader(dataset, batch_size=8)
    model = nn.Linear(4, 2).to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    for epoch in range(3):
        model.train()
        for x, y in DeviceLoader(loader, device):
            optimizer.zero_grad()
            loss = F.cross_entropy(model(x), y)
            loss.backward()
            optimizer.step()
        print(f"epoch {epoch} loss {loss.item():.4f}")


if __name__ == "__main__":
    main()
