"""What stands under __main__ is not what _mp_fn does: which of them should parse, nobody can say."""
import argparse

import torch_xla.core.xla_model as xm

args = argparse.ArgumentParser().parse_args()


def _mp_fn(index):
    print(args)


if __name__ == "__main__":
    print("once", args)
