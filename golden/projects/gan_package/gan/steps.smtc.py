import torch
import torch_xla.core.xla_model as xm
from torch_xla.amp import autocast


def discriminator_step(netG, netD, optimizerD, scaler, criterion, real, noise):
    """One update of the discriminator: maximize log(D(x)) + log(1 - D(G(z)))."""
    netD.zero_grad()
    with autocast():
        output = netD(real)
        loss_real = criterion(output, torch.ones_like(output))
        fake = netG(noise)
        output = netD(fake.detach())
        loss_fake = criterion(output, torch.zeros_like(output))
        loss = loss_real + loss_fake
    scaler.scale(loss).backward()
    gradients = xm._fetch_gradients(optimizerD)
    xm.all_reduce("sum", gradients, scale=1.0 / xm.xrt_world_size())
    scaler.step(optimizerD)
    return loss, fake


def generator_step(netD, optimizerG, scaler, criterion, fake):
    """One update of the generator: maximize log(D(G(z)))."""
    optimizerG.zero_grad()
    with autocast():
        output = netD(fake)
        loss = criterion(output, torch.ones_like(output))
    scaler.scale(loss).backward()
    gradients = xm._fetch_gradients(optimizerG)
    xm.all_reduce("sum", gradients, scale=1.0 / xm.xrt_world_size())
    scaler.step(optimizerG)
    return loss
