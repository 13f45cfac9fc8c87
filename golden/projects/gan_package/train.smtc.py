"""Trains a small generative adversarial network on sine waves."""
import argparse
import os

import torch
import torch.nn as nn
import torch_xla.core.xla_model as xm
import torch_xla.distributed.parallel_loader as pl
from torch_xla.amp import GradScaler, syncfree

from gan import Discriminator, Generator, discriminator_step, generator_step
from gan.data import get_loader
from gan.weights import weights_init


def parse_args():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--batch_size", type=int, default=8)
    parser.add_argument("--length", type=int, default=40)
    parser.add_argument("--width", type=int, default=12)
    parser.add_argument("--nz", type=int, default=6)
    parser.add_argument("--niter", type=int, default=2)
    parser.add_argument("--lr", type=float, default=0.002)
    parser.add_argument("--seed", type=int, default=5)
    parser.add_argument("--netG", default="", help="path to netG (to continue training)")
    parser.add_argument("--outf", default="out", help="folder to output model checkpoints")
    return parser.parse_args()


def train(opt):
    os.makedirs(opt.outf, exist_ok=True)
    torch.manual_seed(opt.seed)
    xm.set_rng_state(opt.seed)
    device = xm.xla_device()

    dataloader = get_loader(opt)
    dataloader = pl.MpDeviceLoader(dataloader, device)
    netG = Generator(opt.nz, opt.width).to(device)
    netG.apply(weights_init)
    if opt.netG != "":
        netG.load_state_dict(torch.load(opt.netG, map_location="cpu"))
    netD = Discriminator(opt.width).to(device)
    netD.apply(weights_init)

    criterion = nn.BCEWithLogitsLoss()
    fixed_noise = torch.randn(opt.batch_size, opt.nz, generator=torch.Generator().manual_seed(1)).to(device)
    optimizerD = syncfree.Adam(netD.parameters(), lr=opt.lr, betas=(0.5, 0.999))
    optimizerG = syncfree.Adam(netG.parameters(), lr=opt.lr, betas=(0.5, 0.999))
    scaler = GradScaler()

    def log_step(i, errD, errG):
        print("[%d/%d][%d/%d] Loss_D: %.4f Loss_G: %.4f"
              % (epoch, opt.niter, i, len(dataloader), errD.item(), errG.item()))

    for epoch in range(opt.niter):
        for i, data in enumerate(dataloader):
            real = data
            noise = torch.linspace(-1, 1, real.size(0) * opt.nz, device=device).view(-1, opt.nz)

            errD, fake = discriminator_step(netG, netD, optimizerD, scaler, criterion, real, noise)
            errG = generator_step(netD, optimizerG, scaler, criterion, fake)
            scaler.update()

            if i % 2 == 0:
                xm.add_step_closure(log_step, args=(i, errD, errG))

        with torch.no_grad():
            sample = netG(fixed_noise).cpu()
        xm.save(sample, "%s/sample_epoch_%03d.pth" % (opt.outf, epoch))
        xm.save(netG.state_dict(), "%s/netG_epoch_%d.pth" % (opt.outf, epoch))
        xm.save(netD.state_dict(), "%s/netD_epoch_%d.pth" % (opt.outf, epoch))


if __name__ == "__main__":
    train(parse_args())
