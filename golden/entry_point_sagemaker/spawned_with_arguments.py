"""The launcher calls _mp_fn(index): what xmp.spawn passes besides has to be made in each process."""
import torch_xla.core.xla_model as xm
import torch_xla.distributed.xla_multiprocessing as xmp


def _mp_fn(index, flags):
    print(index, flags["lr"], xm.xla_device())


if __name__ == "__main__":
    flags = {"lr": 0.1}
    xmp.spawn(_mp_fn, args=(flags,), nprocs=8, start_method="fork")
