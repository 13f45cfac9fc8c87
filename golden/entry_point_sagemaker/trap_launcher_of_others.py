"""It starts other scripts, as the launcher of the container does by itself."""
import importlib
import sys

import torch_xla.distributed.xla_multiprocessing as xmp


def main():
    module = importlib.import_module(sys.argv[1])
    xmp.spawn(module._mp_fn, args=())


if __name__ == "__main__":
    main()
