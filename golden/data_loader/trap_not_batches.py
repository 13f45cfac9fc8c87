"""What is moved in a loop is not always the loop's batch, and what has a `.cuda()` is not always a tensor."""
import torch
from torch.utils.data import DataLoader


class Meter:
    def cuda(self):
        return self


device = torch.device("cuda")
loader = DataLoader(dataset, batch_size=16)
model = torch.nn.Linear(4, 4).to(device)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
hidden = torch.zeros(16, 4)
for state in optimizer.state.values():
    for key, value in state.items():
        state[key] = value.to(device)
for x, y in loader:
    hidden = hidden.to(device)
    noise = torch.randn(16, 4).to(device)
    x = augment(x)
    x = x.to(device)
    y = y.to(device, dtype=torch.float32)
    meter = Meter().cuda()
    hidden = (model(x) + hidden).detach()
    optimizer.zero_grad()
    torch.nn.functional.mse_loss(model(x) + noise, y).backward()
    optimizer.step()
