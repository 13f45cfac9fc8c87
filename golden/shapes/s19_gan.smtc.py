"""A GAN with one scaler for two optimizers, whose values are only printed."""
import torch
from torch.utils.data import DataLoader
import torch_xla.core.xla_model as xm
import torch_xla.distributed.parallel_loader as pl
from torch_xla.amp import GradScaler, autocast, syncfree

device = xm.xla_device()
netG = torch.nn.Linear(8, 16).to(device)
netD = torch.nn.Linear(16, 1).to(device)
criterion = torch.nn.BCEWithLogitsLoss()
optimizerD = syncfree.Adam(netD.parameters(), lr=2e-4)
optimizerG = syncfree.Adam(netG.parameters(), lr=2e-4)
scaler = GradScaler()
dataloader = DataLoader(torch.load("data.pt", map_location="cpu"), batch_size=64, shuffle=True, drop_last=True)
dataloader = pl.MpDeviceLoader(dataloader, device)


def log_step(i, errD, errG, D_x):
    print("[%d/5][%d/%d] Loss_D: %.4f Loss_G: %.4f D(x): %.4f"
          % (epoch, i, len(dataloader), errD.item(), errG.item(), D_x.item()))


for epoch in range(5):
    for i, data in enumerate(dataloader, 0):
        real = data[0]
        ones = torch.ones(real.size(0), 1, device=device)
        netD.zero_grad()
        with autocast():
            output = netD(real)
            errD_real = criterion(output, ones)
        scaler.scale(errD_real).backward()
        D_x = output.mean().detach()
        fake = netG(torch.randn(real.size(0), 8, device=device))
        with autocast():
            errD_fake = criterion(netD(fake.detach()), torch.zeros_like(ones))
        scaler.scale(errD_fake).backward()
        errD = errD_real + errD_fake
        scaler.step(optimizerD)

        netG.zero_grad()
        with autocast():
            errG = criterion(netD(fake), ones)
        scaler.scale(errG).backward()
        scaler.step(optimizerG)
        scaler.update()

        xm.add_step_closure(log_step, args=(i, errD.detach(), errG.detach(), D_x))
