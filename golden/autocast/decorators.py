import torch
from torch.cuda.amp import custom_bwd, custom_fwd


class Mul(torch.autograd.Function):
    @staticmethod
    @custom_fwd(cast_inputs=torch.float32)
    def forward(ctx, a):
        return a * 2

    @staticmethod
    @custom_bwd
    def backward(ctx, g):
        return g * 2
