import torch
from torch.utils.data import DataLoader
from engine import evaluate

device = torch.device("cuda")
model = torch.nn.Linear(4, 2).to(device)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
if args.small:
    loader = DataLoader(small_set, batch_size=4)
else:
    loader = DataLoader(full_set, batch_size=64)
val_loader = None
if args.validate:
    val_loader = DataLoader(val_set, batch_size=64)
for epoch in range(args.epochs):
    for i, batch in enumerate(loader):
        x, y = batch
        x, y = x.to(device), y.to(device)
        optimizer.zero_grad()
        torch.nn.functional.cross_entropy(model(x), y).backward()
        optimizer.step()
    if val_loader is not None:
        evaluate(model, val_loader, device)
