"""A small transformer with a causal mask, dropout, a warm-up and weight decay groups."""

import torch
import torch_xla.core.xla_model as xm
import torch_xla.distributed.parallel_loader as pl
from torch import nn


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed, self.place = nn.Embedding(30, 16), nn.Embedding(12, 16)
        layer = nn.TransformerEncoderLayer(16, 2, 32, dropout=0.1, batch_first=True, norm_first=True)
        self.encoder = nn.TransformerEncoder(layer, 2, norm=nn.LayerNorm(16), enable_nested_tensor=False)
        self.head = nn.Linear(16, 30)

    def forward(self, tokens):
        length = tokens.size(1)
        x = self.embed(tokens) + self.place(torch.arange(length, device=tokens.device))
        mask = torch.triu(torch.full((length, length), float("-inf"), device=tokens.device), diagonal=1)
        return self.head(self.encoder(x, mask=mask))


torch.manual_seed(0)
device = xm.xla_device()
model = Model().to(device)
decay = [p for p in model.parameters() if p.dim() > 1]
rest = [p for p in model.parameters() if p.dim() <= 1]
optimizer = torch.optim.AdamW([{"params": decay, "weight_decay": 0.1}, {"params": rest, "weight_decay": 0.0}], lr=1e-3)
scheduler = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: min(1.0, (step + 1) / 4))
data = torch.utils.data.TensorDataset(torch.randint(0, 30, (24, 13)))
loader = pl.MpDeviceLoader(torch.utils.data.DataLoader(data, batch_size=4), device)
for _epoch in range(2):
    for (tokens,) in loader:
        logits = model(tokens[:, :-1])
        loss = nn.functional.cross_entropy(logits.transpose(1, 2), tokens[:, 1:])
        loss.backward()
        xm.optimizer_step(optimizer)
        scheduler.step()
        optimizer.zero_grad()
print(loss.item())
