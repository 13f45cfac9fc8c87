import torch
from torch.optim import AdamW

scaler = torch.cuda.amp.GradScaler()
optimizer = AdamW(
    [{"params": decayed}, {"params": rest, "weight_decay": 0.0}],  # two groups
    lr=1e-3,
    fused=True,
)
other = AdamW(net.parameters())
scaler.step(optimizer)
other.step()
