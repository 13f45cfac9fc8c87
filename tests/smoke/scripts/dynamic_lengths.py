"""Embeds sentences padded to the longest of the batch: shapes change from step to step."""

import random

import torch
import torch_xla.core.xla_model as xm
from torch import nn

torch.manual_seed(0)
random.seed(0)
device = xm.xla_device()
embed, head = nn.Embedding(50, 8, padding_idx=0).to(device), nn.Linear(8, 2).to(device)
optimizer = torch.optim.Adam([*embed.parameters(), *head.parameters()], lr=0.01)
for step in range(9):
    lengths = [random.randint(2, 5) for _ in range(4)]
    tokens = nn.utils.rnn.pad_sequence([torch.randint(1, 50, (n,)) for n in lengths], batch_first=True).to(device)
    labels = torch.randint(0, 2, (4,)).to(device)
    mask = (tokens != 0).unsqueeze(-1).float()
    pooled = (embed(tokens) * mask).sum(1) / mask.sum(1).clamp(min=1)
    loss = nn.functional.cross_entropy(head(pooled), labels)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    xm.mark_step()
    if step % 4 == 3:
        print(step, loss.item())
