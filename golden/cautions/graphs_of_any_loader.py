import torch
from torch import nn
from loaders import BatchLoader


def train(net, loader, optimizer, device):
    for batch in loader:
        batch = batch.to(device)
        out = net(batch.x, batch.edge_index)
        loss = out.mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


def main():
    device = torch.device("cuda")
    from model import Net
    net = Net().to(device)
    optimizer = torch.optim.Adam(net.parameters())
    train(net, BatchLoader("x"), optimizer, device)


main()
