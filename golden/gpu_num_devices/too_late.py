import os

import torch_xla.core.xla_model as xm


def train():
    device = xm.xla_device()
    os.environ["GPU_NUM_DEVICES"] = "1"
    return device
