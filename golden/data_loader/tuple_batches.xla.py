import torch
from torch.utils.data import DataLoader
import torch_xla.distributed.parallel_loader as pl


def train(model, loader, optimizer, device):
    model.train()
    for batch in loader:
        input_ids, mask, labels = batch
        optimizer.zero_grad()
        model(input_ids, mask, labels).backward()
        optimizer.step()


def evaluate(model, loader, device):
    model.eval()
    for batch in loader:
        input_ids, mask, labels = batch
        with torch.no_grad():
            model(input_ids, mask)


def extract(model, loader, device):
    model.eval()
    for inputs, names in loader:
        inputs, lengths = [t for t in inputs if t is not None]
        features = model(inputs)


device = torch.device("cuda")
model = Net().to(device)
loader = DataLoader(dataset, batch_size=4)
loader = pl.MpDeviceLoader(loader, device)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
train(model, loader, optimizer, device)
evaluate(model, loader, device)
extract(model, loader, device)
