import torch
import torch_xla.core.xla_model as xm
import torch_xla.distributed.xla_multiprocessing as xmp


def train(index, flags):
    if xm.get_local_ordinal() in (-1, 0):
        print(flags, torch.__version__)


if __name__ == "__main__":
    xmp.spawn(train, args=({},))
