import torch_xla.core.xla_model as xm


def _mp_fn(index, flags):
    print(index, flags)


if __name__ == "__main__":
    _mp_fn(0, {})
