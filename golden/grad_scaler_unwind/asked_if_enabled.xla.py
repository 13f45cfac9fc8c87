import torch

stats = []
stats.append("plain")
for x, y in loader:
    loss = criterion(model(x), y)
    loss.backward()
    scaler.step(optimizer)
