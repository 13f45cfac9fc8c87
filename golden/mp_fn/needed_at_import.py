import argparse

import torch_xla.core.xla_model as xm

args = argparse.ArgumentParser().parse_args()


class Config:
    epochs = args.epochs


def _mp_fn(index):
    print(Config.epochs)
