"""Pitfall 26: autocast left on "cuda" is silently off."""
import torch

device_type = "cuda"
model = torch.nn.Linear(4, 2).cuda()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for step in range(3):
    with torch.autocast(device_type=device_type, dtype=torch.bfloat16):
        loss = model(torch.randn(8, 4, device="cuda")).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
