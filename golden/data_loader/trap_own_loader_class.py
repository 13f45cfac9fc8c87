"""A class of the script's own that is called DataLoader, and hands out what it likes."""
import torch


class DataLoader:
    def __init__(self, path, device):
        self.path, self.device = path, device

    def __iter__(self):
        for line in open(self.path):
            yield torch.tensor([float(word) for word in line.split()], device=self.device)


device = torch.device("cuda")
model = torch.nn.Linear(4, 1).to(device)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for x in DataLoader("data.txt", device):
    loss = model(x).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
