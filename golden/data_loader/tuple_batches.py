import torch
from torch.utils.data import DataLoader


def train(model, loader, optimizer, device):
    model.train()
    for batch in loader:
        batch = tuple(t.to(device) for t in batch)
        input_ids, mask, labels = batch
        optimizer.zero_grad()
        model(input_ids, mask, labels).backward()
        optimizer.step()


def evaluate(model, loader, device):
    model.eval()
    for batch in loader:
        input_ids, mask, labels = (t.to(device) for t in batch)
        with torch.no_grad():
            model(input_ids, mask)


def extract(model, loader, device):
    model.eval()
    for inputs, names in loader:
        inputs, lengths = [t.to(device) for t in inputs if t is not None]
        features = model(inputs)


device = torch.device("cuda")
model = Net().to(device)
loader = DataLoader(dataset, batch_size=4)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
train(model, loader, optimizer, device)
evaluate(model, loader, device)
extract(model, loader, device)
