"""The batch of one data set is one tensor, of which the list of its rows is made; that of the other is a pair."""
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset, TensorDataset
import torch_xla.core.xla_model as xm
import torch_xla.distributed.parallel_loader as pl

device = xm.xla_device()


class Ratings(Dataset):
    def __init__(self, rows):
        self.rows = rows

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, i):
        return self.rows[i]


def train(model, loader, optimizer, loss_of):
    model.train()
    for batch in loader:
        batch = [x.to(device) for x in batch]
        optimizer.zero_grad()
        loss_of(model, batch).backward()
        xm.optimizer_step(optimizer)


def evaluate(model, loader):
    model.eval()
    with torch.no_grad():
        for batch in loader:
            rows = torch.stack(tuple(x.to(device) for x in batch))
            model(rows)


def reconstruction(model, batch):
    x = torch.stack(batch)
    return nn.functional.mse_loss(model(x), x)


def regression(model, batch):
    x, y = batch
    return nn.functional.mse_loss(model(x), y)


model = nn.Linear(8, 8).to(device)
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
ratings = DataLoader(Ratings(torch.rand(64, 8)), batch_size=8, shuffle=True, drop_last=True)
ratings = pl.MpDeviceLoader(ratings, device)
pairs = DataLoader(TensorDataset(torch.rand(64, 8), torch.rand(64, 8)), batch_size=8, drop_last=True)
pairs = pl.MpDeviceLoader(pairs, device)
for epoch in range(2):
    train(model, ratings, optimizer, reconstruction)
    train(model, pairs, optimizer, regression)
    evaluate(model, ratings)

for batch in ratings:
    x = torch.stack(list(map(lambda row: row.to(device), batch)))
    optimizer.zero_grad()
    nn.functional.mse_loss(model(x), x).backward()
    xm.optimizer_step(optimizer)
for batch in pairs:
    x, y = batch
    optimizer.zero_grad()
    nn.functional.mse_loss(model(x), y).backward()
    xm.optimizer_step(optimizer)
