"""Values that are only logged stay on the device until then."""
import torch
from torch.utils.data import DataLoader
import torch_xla.core.xla_model as xm

log_step = print


def train(netD, netG, dataset, epochs):
    netD, netG = netD.cuda(), netG.cuda()
    criterion = torch.nn.BCELoss()
    optimizerD = torch.optim.Adam(netD.parameters())
    optimizerG = torch.optim.Adam(netG.parameters())
    dataloader = DataLoader(dataset)

    def log_step_2(i, errD, D_x):
        print("[%d/%d] Loss_D: %.4f D(x): %.4f" % (epoch, i, errD.item(), D_x.item()))
        print(D_x.item())

    for epoch in range(epochs):
        for i, (real, label) in enumerate(dataloader):
            output = netD(real.cuda())
            errD = criterion(output, label.cuda())
            errD.backward()
            D_x = output.mean().detach()
            optimizerD.step()
            errG = criterion(netD(netG(real.cuda())), label.cuda())
            errG.backward()
            best = errG.item()
            optimizerG.step()
            xm.add_step_closure(log_step_2, args=(i, errD.detach(), D_x))
    return best
