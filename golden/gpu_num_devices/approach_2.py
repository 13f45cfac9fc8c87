"""From a hyperparameter, under __main__: the launcher skips it."""
import argparse
import os

import torch_xla.core.xla_model as xm


def main():
    print(xm.xla_device())


def _mp_fn(index):
    main()


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--n_gpus", type=str, default=os.environ["SM_NUM_GPUS"])
    args, _ = parser.parse_known_args()
    os.environ["GPU_NUM_DEVICES"] = args.n_gpus
    main()
