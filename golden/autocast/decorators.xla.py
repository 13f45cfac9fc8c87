import torch


class Mul(torch.autograd.Function):
    @staticmethod
    @torch.amp.custom_fwd(device_type="xla", cast_inputs=torch.float32)
    def forward(ctx, a):
        return a * 2

    @staticmethod
    @torch.amp.custom_bwd(device_type="xla")
    def backward(ctx, g):
        return g * 2
