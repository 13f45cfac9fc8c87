import torch
import torch_xla.core.xla_model as xm


def discriminator_step(netG, netD, optimizerD, scaler, criterion, real, noise):
    """One update of the discriminator: maximize log(D(x)) + log(1 - D(G(z)))."""
    netD.zero_grad()
    with torch.autocast("xla", dtype=torch.bfloat16):
        output = netD(real)
        loss_real = criterion(output, torch.ones_like(output))
        fake = netG(noise)
        output = netD(fake.detach())
        loss_fake = criterion(output, torch.zeros_like(output))
        loss = loss_real + loss_fake
    loss.backward()
    xm.optimizer_step(optimizerD)
    return loss, fake


def generator_step(netD, optimizerG, scaler, criterion, fake):
    """One update of the generator: maximize log(D(G(z)))."""
    optimizerG.zero_grad()
    with torch.autocast("xla", dtype=torch.bfloat16):
        output = netD(fake)
        loss = criterion(output, torch.ones_like(output))
    loss.backward()
    xm.optimizer_step(optimizerG)
    return loss
