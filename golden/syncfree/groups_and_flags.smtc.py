import torch
from torch.optim import AdamW
from torch_xla.amp import syncfree

scaler = torch.cuda.amp.GradScaler()
optimizer = syncfree.AdamW(
    [{"params": decayed}, {"params": rest, "weight_decay": 0.0}],  # two groups
    lr=1e-3,
)
other = AdamW(net.parameters())
scaler.step(optimizer)
other.step()
