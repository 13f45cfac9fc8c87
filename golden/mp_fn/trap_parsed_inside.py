import argparse

import torch_xla.core.xla_model as xm


def main():
    args = argparse.ArgumentParser().parse_args()
    print(args, xm.xla_device())


def _mp_fn(index):
    main()


if __name__ == "__main__":
    main()
