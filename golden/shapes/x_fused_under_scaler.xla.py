"""apex's fused optimizer stepped by torch's own gradient scaler."""
import torch
import torch_xla
import torch_xla.core.xla_model as xm

device = torch_xla.device()
model = torch.nn.Linear(4, 2).to(device)
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, weight_decay=0.0)
for step in range(3):
    with torch.autocast("xla", dtype=torch.bfloat16):
        loss = model(torch.randn(8, 4).to(device)).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    xm.optimizer_step(optimizer, barrier=True)
