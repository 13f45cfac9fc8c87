import torch

for x, y in loader:
    loss = compute(x, y)
    loss.backward()
    optimizer.step()
