import os

import torch_xla.core.xla_model as xm


def set_devices():
    os.environ["GPU_NUM_DEVICES"] = "8"


def _mp_fn(index):
    set_devices()
    print(xm.xla_device())
