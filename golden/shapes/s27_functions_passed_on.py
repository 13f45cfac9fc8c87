"""CUDA functions as values, and memory statistics inside f-strings."""
import time

import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset

cuda = torch.cuda.is_available()
device = torch.device("cuda" if cuda else "cpu")
synchronize = torch.cuda.synchronize if cuda else lambda: None

model = nn.Linear(8, 2).to(device)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
loader = DataLoader(TensorDataset(torch.randn(64, 8), torch.randint(0, 2, (64,))), batch_size=8, drop_last=True)


def train(epoch):
    synchronize()
    start = time.time()
    for x, y in loader:
        x, y = x.to(device), y.to(device)
        optimizer.zero_grad()
        nn.functional.cross_entropy(model(x), y).backward()
        optimizer.step()
    synchronize()
    mem = f"{torch.cuda.memory_reserved() / 1E9 if cuda else 0:.3g}G"
    print(f"epoch {epoch}: {time.time() - start:.1f}s {mem} on {torch.cuda.get_device_name(0)}")


for epoch in range(2):
    train(epoch)
