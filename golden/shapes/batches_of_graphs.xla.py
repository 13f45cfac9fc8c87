"""Graphs of PyTorch Geometric: their loops keep their loaders and their moves, and are marked."""

import torch
import torch.nn.functional as F
import torch_xla
import torch_xla.core.xla_model as xm
from torch_geometric.loader import DataLoader
from torch_geometric.nn import GCNConv, global_mean_pool


class Network(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = GCNConv(4, 8)
        self.head = torch.nn.Linear(8, 2)

    def forward(self, batch):
        h = F.relu(self.conv(batch.x, batch.edge_index))
        return self.head(global_mean_pool(h, batch.batch))


def train(model, device, loader, optimizer):
    model.train()
    for batch in loader:
        batch = batch.to(device)
        loss = F.cross_entropy(model(batch), batch.y)
        optimizer.zero_grad()
        loss.backward()
        xm.optimizer_step(optimizer, barrier=True)


def test(model, device, loader):
    model.eval()
    correct = 0
    with torch.no_grad():
        for batch in loader:
            batch = batch.to(device)
            correct += int((model(batch).argmax(dim=-1) == batch.y).sum())
            torch_xla.sync()
    return correct / len(loader.dataset)


def predict(model, graphs, device):
    return [model(graph.to(device)) for graph in graphs]


def score(model, device, batches):
    total = 0
    for batch in batches:
        batch = batch.to(device)
        total = total + F.relu(model.conv(batch.x, batch.edge_index)).sum()
    return total


def main(dataset):
    device = torch_xla.device()
    train_loader = DataLoader(dataset[:100], batch_size=10, shuffle=True)
    test_loader = DataLoader(dataset[100:], batch_size=10)
    model = Network().to(device)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    for epoch in range(5):
        train(model, device, train_loader, optimizer)
        print(epoch, test(model, device, test_loader))
