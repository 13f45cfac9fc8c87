import torch
import torch_xla
import torch_xla.core.xla_model as xm

model = torch.nn.Linear(4, 2)
model = model  # noqa: a comparison of two versions once stood here
model = model
device = torch_xla.device()
model.to(device)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for x, y in loader:
    optimizer.zero_grad()
    torch.nn.functional.cross_entropy(model(x.to(device)), y.to(device)).backward()
    xm.optimizer_step(optimizer, barrier=True)
