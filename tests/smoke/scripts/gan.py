"""Two networks that train against each other; both losses are printed now and then."""

import torch
import torch_xla.core.xla_model as xm
import torch_xla.distributed.parallel_loader as pl
from torch import nn

torch.manual_seed(0)
device = xm.xla_device()
generator = nn.Sequential(
    nn.ConvTranspose2d(4, 6, 2, 1, 0, bias=False),
    nn.BatchNorm2d(6),
    nn.ReLU(True),
    nn.ConvTranspose2d(6, 1, 4, 2, 1),
    nn.Tanh(),
).to(device)
critic = nn.Sequential(
    nn.Conv2d(1, 6, 2, 2), nn.LeakyReLU(0.2, inplace=True), nn.GroupNorm(2, 6), nn.Conv2d(6, 1, 2), nn.Sigmoid()
).to(device)
loss_of = nn.BCELoss()
first = torch.optim.Adam(critic.parameters(), lr=2e-4, betas=(0.5, 0.999))
second = torch.optim.Adam(generator.parameters(), lr=2e-4, betas=(0.5, 0.999))
loader = pl.MpDeviceLoader(torch.utils.data.DataLoader(torch.rand(32, 1, 4, 4), batch_size=4), device)
for step, real in enumerate(loader):
    critic.zero_grad()
    label = torch.full((real.size(0),), 1.0, device=device)
    loss_real = loss_of(critic(real).view(-1), label)
    loss_real.backward()
    fake = generator(torch.randn(real.size(0), 4, 1, 1, device=device))
    label.fill_(0.0)
    loss_fake = loss_of(critic(fake.detach()).view(-1), label)
    loss_fake.backward()
    first.step()
    generator.zero_grad()
    label.fill_(1.0)
    loss = loss_of(critic(fake).view(-1), label)
    loss.backward()
    xm.optimizer_step(second)
    if step % 3 == 0:
        print(step, (loss_real + loss_fake).item(), loss.item())
