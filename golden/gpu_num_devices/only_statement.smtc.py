import torch_xla.core.xla_model as xm


def set_devices():
    pass


def _mp_fn(index):
    set_devices()
    print(xm.xla_device())
