import torch
from numba import cuda


@cuda.jit
def kernel(x):
    pass


class Args:
    cuda = True


args = Args()
if args.cuda:
    print("cuda()", ".cuda()")
x = torch.ones(2)  # x.cuda()
kernel[1, 1](cuda.to_device([1]))
y = x.to(torch.float16).cpu()
