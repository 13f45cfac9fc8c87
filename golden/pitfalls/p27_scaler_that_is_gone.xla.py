"""Pitfall 27: torch_xla 2.9 has no GradScaler."""
import torch
import torch_xla
import torch_xla.core.xla_model as xm

device = torch_xla.device()
model = torch.nn.Linear(4, 2).to(device)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for step in range(3):
    optimizer.zero_grad()
    with torch.autocast("xla", dtype=torch.bfloat16):
        loss = model(torch.randn(8, 4).to(device)).pow(2).mean()
    loss.backward()
    xm.optimizer_step(optimizer, barrier=True)
