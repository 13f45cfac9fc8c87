import os

import torch
from torch.utils.cpp_extension import load

here = os.path.dirname(__file__)
kernels = load("upsample", sources=[os.path.join(here, "upsample.cpp"), os.path.join(here, "upsample_kernel.cu")])


def upsample(x):
    if x.device.type == "cpu":
        return torch.nn.functional.interpolate(x, scale_factor=2)
    return kernels.upsample(x)
