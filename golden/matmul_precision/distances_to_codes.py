import torch


def closest(x, codes):
    return (x.pow(2).sum(1, keepdim=True) - 2 * x @ codes.t() + codes.pow(2).sum(1)).argmin(1)


index = closest(torch.rand(100, 3).cuda(), torch.rand(20, 3).cuda())
