"""The command line and the device at the top: both run while the launcher imports the script."""
import argparse

import torch_xla.core.xla_model as xm

parser = argparse.ArgumentParser()
parser.add_argument("--epochs", type=int, default=2)


def main():
    print(args.epochs, device)


def _mp_fn(index):
    global args, device
    # What the job was given.
    args = parser.parse_args()
    device = xm.xla_device()
    main()


if __name__ == "__main__":
    _mp_fn(0)
