"""As in variable_then_function, but what would move calls the function: in one function a name is one thing."""
import torch
from torch.utils.data import DataLoader

model = torch.nn.DataParallel(torch.nn.Linear(4, 2).cuda())
checkpoint = torch.load("last.pt")
model.load_state_dict(checkpoint["model"])
loader = DataLoader(torch.load("data.pt"), batch_size=8)


def checkpoint(epoch):
    torch.save({"model": model.state_dict(), "epoch": epoch}, "last.pt")


for epoch in range(3):
    for x, y in loader:
        torch.nn.functional.cross_entropy(model(x.cuda()), y.cuda()).backward()
    checkpoint(epoch)
