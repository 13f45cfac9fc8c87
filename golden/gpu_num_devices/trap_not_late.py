import os

import torch_xla.core.xla_model as xm


def prepare():
    os.environ["GPU_NUM_DEVICES"] = "1"


def train():
    prepare()
    return xm.xla_device()
