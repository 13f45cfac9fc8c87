"""Pitfall 26: autocast left on "cuda" is silently off."""
import torch
import torch_xla
import torch_xla.core.xla_model as xm

device_type = "cuda"
device = torch_xla.device()
model = torch.nn.Linear(4, 2).to(device)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for step in range(3):
    with torch.autocast("xla", dtype=torch.bfloat16):
        loss = model(torch.randn(8, 4, device=device)).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    xm.optimizer_step(optimizer, barrier=True)
