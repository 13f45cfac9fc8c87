"""Pitfall 18: torch.save of XLA tensors cannot be loaded where there is no torch_xla."""
import torch

model = torch.nn.Linear(4, 2).cuda()
optimizer = torch.optim.Adam(model.parameters())
history = []
for step in range(3):
    loss = model(torch.randn(8, 4).cuda()).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
torch.save({
    "model": model.state_dict(),      # all on the GPU
    "optimizer": optimizer.state_dict(),
    "history": history,
}, "last.pt")
