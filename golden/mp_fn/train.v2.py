import torch_xla.core.xla_model as xm


def main():
    pass


def _mp_fn(index):
    main()
