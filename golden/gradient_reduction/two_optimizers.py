import torch
import torch.distributed as dist
from torch.cuda.amp import GradScaler


def main(rank, netG, netD, dataset):
    dist.init_process_group("nccl")
    gradients = []
    netD = torch.nn.parallel.DistributedDataParallel(netD.cuda(rank))
    netG = torch.nn.parallel.DistributedDataParallel(netG.cuda(rank))
    opt_d, opt_g = torch.optim.Adam(netD.parameters()), torch.optim.Adam(netG.parameters())
    scaler = GradScaler()
    for x, z in torch.utils.data.DataLoader(dataset):
        scaler.scale(netD(x.cuda()).mean() + netD(netG(z.cuda()).detach()).mean()).backward()
        scaler.step(opt_d)
        scaler.scale(netD(netG(z.cuda())).mean()).backward()
        scaler.step(opt_g)
        scaler.update()
