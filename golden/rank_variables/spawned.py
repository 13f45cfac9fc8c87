import os

import torch
import torch_xla.distributed.xla_multiprocessing as xmp


def train(index, flags):
    if int(os.environ.get("LOCAL_RANK", -1)) in (-1, 0):
        print(flags, torch.__version__)


if __name__ == "__main__":
    xmp.spawn(train, args=({},))
