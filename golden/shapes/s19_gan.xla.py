"""A GAN with one scaler for two optimizers, whose values are only printed."""
import torch
from torch.utils.data import DataLoader
import torch_xla
import torch_xla.core.xla_model as xm
import torch_xla.distributed.parallel_loader as pl

device = torch_xla.device()
netG = torch.nn.Linear(8, 16).to(device)
netD = torch.nn.Linear(16, 1).to(device)
criterion = torch.nn.BCEWithLogitsLoss()
optimizerD = torch.optim.Adam(netD.parameters(), lr=2e-4)
optimizerG = torch.optim.Adam(netG.parameters(), lr=2e-4)
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
        with torch.autocast("xla", dtype=torch.bfloat16):
            output = netD(real)
            errD_real = criterion(output, ones)
        errD_real.backward()
        D_x = output.mean().detach()
        fake = netG(torch.randn(real.size(0), 8, device=device))
        with torch.autocast("xla", dtype=torch.bfloat16):
            errD_fake = criterion(netD(fake.detach()), torch.zeros_like(ones))
        errD_fake.backward()
        errD = errD_real + errD_fake
        xm.optimizer_step(optimizerD)

        netG.zero_grad()
        with torch.autocast("xla", dtype=torch.bfloat16):
            errG = criterion(netD(fake), ones)
        errG.backward()
        xm.optimizer_step(optimizerG)

        xm.add_step_closure(log_step, args=(i, errD.detach(), errG.detach(), D_x))
