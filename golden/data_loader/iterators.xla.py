import torch
from torch.utils.data import DataLoader
import torch_xla.distributed.parallel_loader as pl

device = torch.device("cuda")
model = torch.nn.Linear(8, 1).to(device)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
loader = DataLoader(dataset, batch_size=8, shuffle=True)
loader = pl.MpDeviceLoader(loader, device)
data_iter = iter(loader)
for step in range(1000):
    try:
        x, y = next(data_iter)
    except StopIteration:
        data_iter = iter(loader)
        x, y = next(data_iter)
    optimizer.zero_grad()
    torch.nn.functional.mse_loss(model(x), y).backward()
    optimizer.step()
