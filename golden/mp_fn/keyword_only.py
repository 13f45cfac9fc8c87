import torch_xla.core.xla_model as xm


def _mp_fn(index, *, flags):
    print(index, flags)
