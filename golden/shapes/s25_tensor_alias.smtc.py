"""The alias of a tensor type is the script's only placement of data."""
import numpy as np
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset
import torch_xla.core.xla_model as xm
import torch_xla.distributed.parallel_loader as pl

cuda = True

generator = nn.Sequential(nn.Linear(4, 8), nn.Tanh())
discriminator = nn.Sequential(nn.Linear(8, 1), nn.Sigmoid())
adversarial_loss = nn.BCELoss()
device = xm.xla_device()
if cuda:
    generator.to(device)
    discriminator.to(device)
    adversarial_loss.to(device)

dataloader = DataLoader(TensorDataset(torch.randn(64, 8)), batch_size=16, drop_last=True)
dataloader = pl.MpDeviceLoader(dataloader, device)
optimizer_g = torch.optim.Adam(generator.parameters(), lr=0.01)
optimizer_d = torch.optim.Adam(discriminator.parameters(), lr=0.01)

Tensor = lambda *args: torch.FloatTensor(*args).to(device)

for epoch in range(2):
    for (imgs,) in dataloader:
        valid = Tensor(imgs.size(0), 1).fill_(1.0)
        fake = Tensor(imgs.size(0), 1).fill_(0.0)
        real_imgs = imgs.to(device=device, dtype=torch.float32)

        optimizer_g.zero_grad()
        z = Tensor(np.random.normal(0, 1, (imgs.shape[0], 4)))
        gen_imgs = generator(z)
        g_loss = adversarial_loss(discriminator(gen_imgs), valid)
        g_loss.backward()
        xm.optimizer_step(optimizer_g)

        optimizer_d.zero_grad()
        real_loss = adversarial_loss(discriminator(real_imgs), valid)
        fake_loss = adversarial_loss(discriminator(gen_imgs.detach()), fake)
        d_loss = (real_loss + fake_loss) / 2
        d_loss.backward()
        xm.optimizer_step(optimizer_d)
    print(epoch, d_loss.item(), g_loss.item())
