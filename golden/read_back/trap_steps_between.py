import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


def train(model, optimizer, loader):
    for x, y in loader:
        optimizer.zero_grad()
        nn.functional.cross_entropy(model(x.cuda()), y.cuda()).backward()
        optimizer.step()


def main():
    loader = DataLoader(TensorDataset(torch.randn(32, 4), torch.arange(32) % 2), batch_size=8, shuffle=True)
    model = nn.DataParallel(nn.Linear(4, 2)).cuda()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    torch.save(model.state_dict(), "start.pt")
    train(model, optimizer, loader)  # gradients are averaged here: all have come by
    model.load_state_dict(torch.load("start.pt", map_location="cpu"))


if __name__ == "__main__":
    main()
