import argparse

import torch
import torch_xla.core.xla_model as xm
import torch_xla.distributed.xla_multiprocessing as xmp

parser = argparse.ArgumentParser()
parser.add_argument("--local_rank", type=int)


def _mp_fn(index):
    args = parser.parse_args()
    print(args.local_rank, xm.get_ordinal() % torch.cuda.device_count())


if __name__ == "__main__":
    xmp.spawn(_mp_fn)
