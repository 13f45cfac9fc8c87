import torch_xla.core.xla_model as xm


def f():
    # café
    xm.rendezvous("f")
