"""A variational autoencoder: draws noise on the device, sums the loss of an epoch by `.item()`."""

import torch
import torch_xla.core.xla_model as xm
import torch_xla.distributed.parallel_loader as pl
from torch import nn
from torch.nn import functional as F


class VAE(nn.Module):
    def __init__(self):
        super().__init__()
        self.encode, self.mean, self.spread = nn.Linear(16, 12), nn.Linear(12, 3), nn.Linear(12, 3)
        self.decode, self.out = nn.Linear(3, 12), nn.Linear(12, 16)

    def forward(self, x):
        hidden = F.relu(self.encode(x.view(-1, 16)))
        mean, logvar = self.mean(hidden), self.spread(hidden)
        z = mean + torch.randn_like(mean) * torch.exp(0.5 * logvar)
        return torch.sigmoid(self.out(F.relu(self.decode(z)))), mean, logvar


torch.manual_seed(0)
device = xm.xla_device()
model = VAE().to(device)
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
loader = pl.MpDeviceLoader(torch.utils.data.DataLoader(torch.rand(40, 1, 4, 4), batch_size=8), device)
for epoch in range(2):
    total = 0
    for batch in loader:
        optimizer.zero_grad()
        output, mean, logvar = model(batch)
        loss = F.binary_cross_entropy(output, batch.view(-1, 16), reduction="sum")
        loss = loss - 0.5 * torch.sum(1 + logvar - mean.pow(2) - logvar.exp())
        loss.backward()
        total += loss.item()
        xm.optimizer_step(optimizer)
    print(epoch, total / 40)
with torch.no_grad():
    print(model.out(F.relu(model.decode(torch.randn(2, 3).to(device)))).cpu().shape)
