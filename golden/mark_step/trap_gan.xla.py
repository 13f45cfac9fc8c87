"""One mark for two optimizers, though one of them steps only now and then."""
import torch
import torch_xla


def train(netG, netD, sample, n_critic):
    netG.cuda(), netD.cuda()
    optimizerD = torch.optim.Adam(netD.parameters())
    optimizerG = torch.optim.Adam(netG.parameters())
    for i in range(10000):
        real = sample(i).cuda()
        optimizerD.zero_grad()
        errD = netD(netG(torch.randn(8, 4).cuda()).detach()).mean() - netD(real).mean()
        errD.backward()
        optimizerD.step()
        if i % n_critic == 0:
            optimizerG.zero_grad()
            errG = -netD(netG(torch.randn(8, 4).cuda())).mean()
            errG.backward()
            optimizerG.step()
        torch_xla.sync()
        # end of iteration
    print("done")
