"""Pitfall 18: torch.save of XLA tensors cannot be loaded where there is no torch_xla."""
import torch
import torch_xla.core.xla_model as xm

device = xm.xla_device()
model = torch.nn.Linear(4, 2).to(device)
optimizer = torch.optim.Adam(model.parameters())
history = []
for step in range(3):
    loss = model(torch.randn(8, 4).to(device)).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    xm.optimizer_step(optimizer, barrier=True)
xm.save({
    "model": model.state_dict(),      # all on the GPU
    "optimizer": optimizer.state_dict(),
    "history": history,
}, "last.pt")
