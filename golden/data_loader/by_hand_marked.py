import torch
import torch_xla.core.xla_model as xm

device = xm.xla_device()
model = torch.nn.Linear(4, 2).to(device)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
loader = torch.utils.data.DataLoader(dataset, batch_size=8)
for x, y in loader:
    x, y = x.to(device), y.to(device)
    optimizer.zero_grad()
    torch.nn.functional.cross_entropy(model(x), y).backward()
    xm.optimizer_step(optimizer)
    xm.mark_step()
