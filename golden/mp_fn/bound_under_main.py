"""FLAGS does not exist in the processes of the launcher; `name` is bound at the top too."""
import argparse

import torch_xla.distributed.xla_multiprocessing as xmp

name = "default"


def _mp_fn(index):
    print(FLAGS.epochs, name)


if __name__ == "__main__":
    FLAGS = argparse.Namespace(epochs=2)
    name = "main"
    xmp.spawn(_mp_fn, args=())
