import torch
import torch_xla.core.xla_model as xm

from network import build

device = xm.xla_device()
model = build(device)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for _ in range(3):
    optimizer.zero_grad()
    model(torch.randn(8, 4, device=device)).mean().backward()
    xm.optimizer_step(optimizer, barrier=True)
xm.save(model.state_dict(), "model.pt")
